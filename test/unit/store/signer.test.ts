import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createSigner, type UnsignedRequest } from '../../../shared/store/signer.ts'

// The examples of Amazon's documentation of Signature Version 4 for S3.
const settings = {
  accessKey: 'AKIAIOSFODNN7EXAMPLE',
  secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  region: 'us-east-1',
}
const at = new Date('2013-05-24T00:00:00Z')
const host = 'examplebucket.s3.amazonaws.com'
const nothing = hash('sha256', '')

const examples: { request: UnsignedRequest; signature: string }[] = [
  {
    request: { method: 'GET', path: '/test.txt', headers: { host, range: 'bytes=0-9' } },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    request: { method: 'GET', path: '/?lifecycle', headers: { host } },
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    request: { method: 'GET', path: '/?prefix=J&max-keys=2', headers: { host, 'user-agent': 'changed on the way' } },
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
]

test('requests are signed as Amazon documents it, also after one of another day', () => {
  const signer = createSigner(settings)
  for (const { request, signature } of examples) {
    const { authorization } = signer.sign(request, nothing, at)
    expect(authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20130524\/us-east-1\/s3\/aws4_/)
    expect(authorization).toMatch(new RegExp(`Signature=${signature}$`))
    const nextDay = signer.sign(request, nothing, new Date(at.getTime() + 86_400_000))
    expect([nextDay['x-amz-date'], nextDay.authorization?.endsWith(signature)]).toEqual(['20130525T000000Z', false])
  }
})

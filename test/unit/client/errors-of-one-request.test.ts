import { expect, test } from 'vitest'
import { ofOneRequest, ServiceError } from '../../../client/service/service-error.ts'

test('an error of one request leaves out its place in the list, and no other place', () => {
  const error = new ServiceError(
    '400 Bad Request: [0].select[0].label: unknown; [0].originIds[0].x: no',
    400,
    new Headers(),
    ['  [0].select[0].where: must be a map'],
  )
  const plain = ofOneRequest(error) as ServiceError
  expect(plain.message).toBe('400 Bad Request: select[0].label: unknown; originIds[0].x: no')
  expect(plain.details).toEqual(['  select[0].where: must be a map'])
  expect(plain.status).toBe(400)
})

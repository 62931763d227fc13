import { expect, test } from 'vitest'
import { withoutLettersBeyondAscii } from '../../../dev/tools/build-programs.ts'

test('letters beyond ASCII in comments of a built program are replaced, and the build refuses one in code', async () => {
  const built = '// Zürich → 生\nconst city = "Z\\xFCrich" // ü\n'
  expect(await withoutLettersBeyondAscii(built)).toBe('// Z?rich ? ?\nconst city = "Z\\xFCrich" // ?\n')
  await expect(withoutLettersBeyondAscii('export const umlauts = /[äöü]/\n')).rejects.toThrow(
    'esbuild left a letter beyond ASCII in code',
  )
})

import { examine } from './examine.ts'
import { lineOf } from './finding.ts'

// Says whether the programs can run with these settings, without starting one: exit code 1 when they cannot.
await examine((finding) => {
  console.log(lineOf(finding))
  if (finding.level === 'fail') process.exitCode = 1
})
// What a library still waits for must not keep a doctor who has said everything.
process.exit()

import { examine } from './examine.ts'
import { codeOf, type Finding, fail, lineOf } from './finding.ts'

// Says whether the programs can run with these settings, without starting one: exit code 1 when they cannot.
function tell(finding: Finding): void {
  console.log(lineOf(finding))
  if (finding.level === 'fail') process.exitCode = 1
}

// Node itself would print the error with all that it carries: of a failed command of Redis also the arguments.
process.on('uncaughtException', (error) => {
  tell(fail('doctor', `ended early (${codeOf(error)})`))
  process.exit()
})
await examine(tell)
// What a library still waits for must not keep a doctor who has said everything.
process.exit()

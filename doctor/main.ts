import { exitIfBroken } from '../shared/lifecycle/build.ts'
import { codeOf, type Finding, fail, lineOf } from './finding.ts'
import { runChecks } from './run-checks.ts'

// Reports whether the programs can run with these settings, without starting one. Exit code 1 if they cannot.
function report(finding: Finding): void {
  console.log(lineOf(finding))
  if (finding.level === 'fail') process.exitCode = 1
}

exitIfBroken()
// Node would print the error with all its properties. For a failed Redis command these include its arguments.
process.on('uncaughtException', (error) => {
  report(fail('doctor', `ended early (${codeOf(error)})`))
  process.exit()
})
await runChecks(report)
// Pending timers of a library must not keep the process alive.
process.exit()

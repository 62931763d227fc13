import { Command, CommanderError, Option } from 'commander'
import { convert } from './commands/convert.ts'
import { copy } from './commands/copy.ts'
import { create } from './commands/create.ts'
import { diff } from './commands/diff.ts'
import { get } from './commands/get.ts'
import { inspect } from './commands/inspect.ts'
import { job } from './commands/job.ts'
import { jobs } from './commands/jobs.ts'
import { ls } from './commands/ls.ts'
import { model } from './commands/model.ts'
import { overview } from './commands/overview.ts'
import { publish } from './commands/publish.ts'
import { replay } from './commands/replay.ts'
import { verify } from './commands/verify.ts'
import { whoami } from './commands/whoami.ts'
import { completionFor, type Shell, shells } from './completion.ts'
import { type Context, printable, printableLine, printLines } from './context.ts'
import { variableNames } from './environment.ts'
import { exitCodes, Failure } from './exit.ts'
import { inClientsWords } from './hints.ts'
import { withCommon } from './options.ts'
import { ReplayError } from './replay/errors.ts'
import { version } from './version.ts'

const commands = [
  create,
  ls,
  get,
  inspect,
  diff,
  publish,
  job,
  jobs,
  replay,
  verify,
  copy,
  convert,
  model,
  whoami,
  overview,
]

const examples = `
Examples:
  packets create acme
  packets publish request.json --ids ids.txt --org acme --name people.json --dry-run
  packets publish request.json --ids ids.txt --org acme --name people.json
  packets replay acme/people.json --to bolt://localhost:7688 --user neo4j --create-constraints
  packets verify acme/people.json --to bolt://localhost:7688 --user neo4j

Environment variables, in place of options and of files with secrets:
${variableNames.map((name) => `  ${name}`).join('\n')}`

/** The command line: every command with its options. */
export function createProgram(context: Context): Command {
  const program = new Command('packets')
    .description('Gets packets of a graph database and replays them into another one')
    .version(version, '--version', 'print the version')
    .addOption(new Option('--completion <shell>', 'print a script that completes commands').choices(shells))
  program.addHelpText('after', examples)
  program.on('option:completion', (shell: Shell) => {
    context.stdout.write(completionFor(shell, program))
    throw new CommanderError(0, 'packets.completion', 'the script is written')
  })
  for (const make of commands) {
    const command = withCommon(make(context))
    program.addCommand(command.showHelpAfterError(usageOf(command)))
  }
  for (const command of [program, ...program.commands]) {
    command.exitOverride().configureOutput({
      writeOut: (text) => void context.stdout.write(text),
      writeErr: (text) => void context.stderr.write(text),
    })
  }
  return program.showHelpAfterError('usage: packets <command>; packets --help lists the commands')
}

const usageOf = (command: Command) => `usage: packets ${command.name()} ${command.usage()}`

/** The stack of an unforeseen error: its message, which is one line here, and where it was thrown. */
function traceOf(error: unknown): string {
  const [message, { stack = '' }] = [String(error), error as Error]
  const places = stack.startsWith(message) ? message.length : stack.indexOf('\n    at ')
  return printableLine(message) + (places === -1 ? '' : printable(stack.slice(places)))
}

/** Runs one command line. @returns the exit code */
export async function run(words: readonly string[], context: Context): Promise<number> {
  const { stderr, signal } = context
  const program = createProgram(context)
  try {
    await program.parseAsync(words, { from: 'user' })
    return exitCodes.done
  } catch (error) {
    if (error instanceof ReplayError) {
      printLines(stderr, [`${error.kind === 'interrupted' ? '' : 'error: '}${error.message}`])
      return exitCodes[error.kind === 'failed' ? 'target' : error.kind]
    }
    if (signal.aborted) {
      stderr.write('interrupted\n')
      return exitCodes.interrupted
    }
    // Commander has written its message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.done : exitCodes.usage
    if (!(error instanceof Failure)) {
      stderr.write(`error: ${traceOf(error)}\n`)
      return exitCodes.unforeseen
    }
    if (error.exit !== 'different')
      printLines(stderr, [`error: ${inClientsWords(error.message)}`, ...error.details.map(inClientsWords)])
    const command = program.commands.find((each) => each.name() === words[0])
    if (error.exit === 'usage' && command) stderr.write(`${usageOf(command)}\n`)
    return exitCodes[error.exit]
  }
}

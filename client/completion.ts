import type { Command } from 'commander'

export const shells = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof shells)[number]

interface Offered {
  name: string
  description: string
  options: { long: string; description: string; choices: readonly string[] }[]
}

const offeredBy = (program: Command): Offered[] =>
  program.commands.map((command) => ({
    name: command.name(),
    description: command.description(),
    options: command.options.flatMap(({ long, description, argChoices = [] }) =>
      long ? [{ long, description, choices: argChoices }] : [],
    ),
  }))

/** A script for a shell that completes commands, options, their choices, and else the names of files. */
export function completionFor(shell: Shell, program: Command): string {
  const commands = offeredBy(program)
  if (shell === 'fish') return fish(commands)
  const setUp = shell === 'zsh' ? 'autoload -U +X bashcompinit && bashcompinit\n' : ''
  return setUp + bash(commands)
}

function bash(commands: readonly Offered[]): string {
  const options = commands.map(
    ({ name, options }) => `      ${name}) words="${options.map(({ long }) => long).join(' ')}" ;;`,
  )
  const choices = new Map(commands.flatMap(({ options }) => options.map(({ long, choices }) => [long, choices])))
  const values = [...choices].flatMap(([long, some]) =>
    some.length > 0 ? [`    ${long}) words="${some.join(' ')}" ;;`] : [],
  )
  return `_packets() {
  local word="\${COMP_WORDS[COMP_CWORD]}" words=
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${values.join('\n')}
  esac
  if [ -z "$words" ] && [ "$COMP_CWORD" = 1 ]; then words="${commands.map(({ name }) => name).join(' ')} --help --version"
  elif [ -z "$words" ] && [ "\${word#-}" != "$word" ]; then
    case "\${COMP_WORDS[1]}" in
${options.join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _packets packets
`
}

const inFish = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

function fish(commands: readonly Offered[]): string {
  const lines = commands.flatMap(({ name, description, options }) => [
    `complete -c packets -n __fish_use_subcommand -a ${name} -d ${inFish(description)}`,
    ...options.map(
      ({ long, description, choices }) =>
        `complete -c packets -n '__fish_seen_subcommand_from ${name}' -l ${long.slice(2)} -d ${inFish(description)}` +
        (choices.length > 0 ? ` -xa ${inFish(choices.join(' '))}` : ''),
    ),
  ])
  return `${lines.join('\n')}\n`
}

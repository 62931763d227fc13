import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** The options of a command. For an unknown or incomplete one it prints one line and exits. */
export function optionsOf<Options extends ParseArgsOptionsConfig>(options: Options) {
  try {
    return parseArgs({ options }).values
  } catch (error) {
    console.error((error as Error).message)
    process.exit(1)
  }
}

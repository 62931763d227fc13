import { closingLine } from './rings.ts'

/** Prints what the last runs of both rings passed and failed together: the last line of `.ci/run`. */
console.log(closingLine('inner', 'outer'))

import { writeFile } from 'node:fs/promises'
import { extname } from 'node:path'
import { InvalidArgumentError, Option } from 'commander'
import { cannotBe } from '../exit.ts'
import { mermaidOf } from './mermaid.ts'
import type { Picture } from './picture.ts'
import { svgOf } from './svg.ts'

const formats: Record<string, (picture: Picture) => string> = { '.svg': svgOf, '.mmd': mermaidOf }

export interface PictureOptions {
  picture?: string
}

/** The option that draws something into a file. The file's extension selects the format. */
export const pictureOption = (what: string): Option =>
  new Option('--picture <file>', `draw ${what} into a file, .svg or .mmd (Mermaid)`).argParser((file: string) => {
    if (Object.hasOwn(formats, extname(file))) return file
    throw new InvalidArgumentError('the file must end in .svg or .mmd.')
  })

/** @throws Failure (usage) if the file cannot be written */
export async function savePicture(file: string, picture: Picture): Promise<void> {
  const format = formats[extname(file)] as (picture: Picture) => string
  await writeFile(file, format(picture)).catch(cannotBe('written', `--picture: ${file}`))
}

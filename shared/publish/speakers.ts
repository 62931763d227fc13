import type { PublishRequest } from './request.ts'

/** Where in a multi a request stands that has a say in something. */
export interface Speaker {
  index: number
  request: PublishRequest
}

/** Of those that spoke of one topic: the first, and the first that says otherwise than it. */
interface Spoken {
  first: Speaker
  setting: string
  other: Speaker | null
}

const everything = Symbol('every topic')
const anything = Symbol('any topic')

/**
 * The first that says otherwise than an earlier one about a topic of both, in one pass: there may be ten thousand, with
 * millions of topics. @param topics of each speaker; null: of all there are.
 */
export function firstDisagreement(
  speakers: readonly Speaker[],
  topics: readonly (readonly string[] | null)[],
  settingOf: (request: PublishRequest) => string,
): [Speaker, Speaker] | null {
  if (speakers.length < 2) return null
  const settings = speakers.map(({ request }) => settingOf(request))
  if (settings.every((setting) => setting === settings[0])) return null
  const spoken = new Map<string | symbol, Spoken>()
  for (const [position, speaker] of speakers.entries()) {
    const setting = settings[position] as string
    const own = topics[position] ?? null
    let met: Speaker | null = null
    for (const topic of own === null ? [anything] : [everything, ...own]) {
      const earlier = otherThan(setting, spoken.get(topic))
      if (earlier && earlier.index < (met?.index ?? speaker.index)) met = earlier
    }
    if (met) return [met, speaker]
    for (const topic of own === null ? [everything, anything] : [anything, ...own])
      note(spoken, topic, speaker, setting)
  }
  return null
}

function otherThan(setting: string, earlier: Spoken | undefined): Speaker | null {
  if (earlier === undefined) return null
  return earlier.setting === setting ? earlier.other : earlier.first
}

function note(spoken: Map<string | symbol, Spoken>, topic: string | symbol, speaker: Speaker, setting: string): void {
  const known = spoken.get(topic)
  if (known === undefined) spoken.set(topic, { first: speaker, setting, other: null })
  else if (known.other === null && known.setting !== setting) known.other = speaker
}

import type { ParameterSyntax } from '../cypher/parameters.ts'
import { elementKind, isList, isPublishable, type Kind, kind, needsCypher25 } from '../packstream/kinds.ts'
import type { Numbers, Rendered, Wrap } from './values.ts'

const plain: Readonly<Record<Kind, Wrap>> = {
  [kind.largeInteger]: 'toInteger',
  [kind.oddFloat]: 'toFloat',
  [kind.date]: 'date',
  [kind.localTime]: 'localtime',
  [kind.localDateTime]: 'localdatetime',
  [kind.time]: 'time',
  [kind.timeByFields]: 'time',
  [kind.dateTime]: 'datetime',
  [kind.dateTimeByFields]: 'datetime',
  [kind.duration]: 'duration',
  [kind.point]: 'point',
  [kind.pointInSpace]: 'point',
  [kind.uuid]: 'uuid',
  [kind.vectorOfInteger8]: 'vectorOfInteger8',
  [kind.vectorOfInteger16]: 'vectorOfInteger16',
  [kind.vectorOfInteger32]: 'vectorOfInteger32',
  [kind.vectorOfInteger64]: 'vectorOfInteger64',
  [kind.vectorOfFloat32]: 'vectorOfFloat32',
  [kind.vectorOfFloat64]: 'vectorOfFloat64',
}

const strict: typeof plain = {
  ...plain,
  [kind.safeInteger]: 'toInteger',
  [kind.float]: 'toFloat',
  [kind.timeByFields]: 'timeByFields',
  [kind.dateTimeByFields]: 'datetimeByFields',
  [kind.duration]: 'durationByFields',
  [kind.point]: 'pointByFields',
  [kind.pointInSpace]: 'pointInSpaceByFields',
}

/** Whether a statement in this syntax can have a value of this kind: no server that takes braces has the new types. */
export const isPublishableIn = (syntax: ParameterSyntax, of: Kind): boolean =>
  isPublishable(of) && (syntax === 'dollar' || !needsCypher25(of))

/** The expression that a value of this kind needs in a statement. Contract 5, values. */
export function expressionOf(of: Kind, numbers: Numbers): Pick<Rendered, 'wrap' | 'list'> {
  const wrap = (numbers === 'strict' ? strict : plain)[elementKind(of)] ?? null
  return { wrap, list: isList(of) }
}

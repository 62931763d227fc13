import { elementKind, isList, type Kind, kind } from '../../packstream/kinds.ts'
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

/** The expression that a value of this kind needs in a statement. Contract 5, values. */
export function expressionOf(of: Kind, numbers: Numbers): Pick<Rendered, 'wrap' | 'list'> {
  const wrap = (numbers === 'strict' ? strict : plain)[elementKind(of)] ?? null
  return { wrap, list: wrap !== null && isList(of) }
}

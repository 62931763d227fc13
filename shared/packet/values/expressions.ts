import type { Kind } from '../../packstream/kinds.ts'
import { elementKind, isList, kind } from '../../packstream/kinds.ts'
import type { Numbers, Rendered, Wrap } from './values.ts'

const wraps: Readonly<Record<Numbers, Readonly<Record<Kind, Wrap>>>> = {
  plain: {
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
  },
  strict: {
    [kind.safeInteger]: 'toInteger',
    [kind.largeInteger]: 'toInteger',
    [kind.float]: 'toFloat',
    [kind.oddFloat]: 'toFloat',
    [kind.date]: 'date',
    [kind.localTime]: 'localtime',
    [kind.localDateTime]: 'localdatetime',
    [kind.time]: 'time',
    [kind.timeByFields]: 'timeByFields',
    [kind.dateTime]: 'datetime',
    [kind.dateTimeByFields]: 'datetimeByFields',
    [kind.duration]: 'durationByFields',
    [kind.point]: 'pointByFields',
    [kind.pointInSpace]: 'pointInSpaceByFields',
  },
}

/** The expression that a value of this kind needs in a statement. Contract 5, values. */
export function expressionOf(of: Kind, numbers: Numbers): Pick<Rendered, 'wrap' | 'list'> {
  const wrap = wraps[numbers][elementKind(of)] ?? null
  return { wrap, list: wrap !== null && isList(of) }
}

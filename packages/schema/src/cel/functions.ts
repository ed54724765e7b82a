import { AUTHORIZERS } from './library/authorizers.ts';
import { CONVERSIONS } from './library/conversions.ts';
import { LISTS } from './library/lists.ts';
import { NAMED_FORMATS } from './library/named-formats.ts';
import { NETWORKS } from './library/networks.ts';
import { OPERATORS } from './library/operators.ts';
import { OPTIONALS } from './library/optionals.ts';
import { PATTERNS } from './library/patterns.ts';
import { QUANTITIES } from './library/quantities.ts';
import { SEMVERS } from './library/semvers.ts';
import { STRINGS } from './library/strings.ts';
import { TIMES } from './library/times.ts';
import { URLS } from './library/urls.ts';
import type { Overload } from './signature.ts';

const LIBRARIES: readonly (readonly Overload[])[] = [
  OPERATORS,
  CONVERSIONS,
  STRINGS,
  LISTS,
  PATTERNS,
  TIMES,
  URLS,
  QUANTITIES,
  NETWORKS,
  SEMVERS,
  NAMED_FORMATS,
  OPTIONALS,
  AUTHORIZERS,
];

/** All that an expression can call, by name. */
export const FUNCTIONS: ReadonlyMap<string, readonly Overload[]> = Map.groupBy(
  LIBRARIES.flat(),
  ({ name }) => name,
);

import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { attributeRequirements } from './match-source.ts';

const nameKey = (name: string): string => JSON.stringify(['name', name]);
const ofType = (system: string, type: string): string => JSON.stringify(['type', system, type]);
const withAttribute = (system: string, type: string, key: string, value: string): string =>
  JSON.stringify(['attribute', system, type, key, value]);

/** Index key of a claim: a source that can match it has this key among its `offeredKeys`. */
export const wantedKey = ({ spec }: DataSourceClaim): string => {
  const { system, dataSourceType, dataSourceName } = spec;
  if (dataSourceName !== undefined) return nameKey(dataSourceName);
  const exact = attributeRequirements(spec).find(({ operator }) => operator === '=');
  return exact === undefined
    ? ofType(system, dataSourceType)
    : withAttribute(system, dataSourceType, exact.key, exact.values[0] ?? '');
};

/** Index key of all sources of the same system and type, for near misses. */
export const neighbourKey = ({ spec }: DataSourceClaim): string =>
  ofType(spec.system, spec.dataSourceType);

/** All index keys of a source. */
export const offeredKeys = ({ metadata, spec }: DataSource): readonly string[] => [
  ...new Set([
    nameKey(spec.name),
    nameKey(metadata.name),
    ofType(spec.system, spec.type),
    ...Object.entries(spec.attributes ?? {}).map(([key, value]) =>
      withAttribute(spec.system, spec.type, key, value),
    ),
  ]),
];

import type { DataSource } from '@perigee/api/kinds/data/data-source';
import type { DataSourceClaim } from '@perigee/api/kinds/data/data-source-claim';
import { formatRequirement } from '@perigee/api/values/label-requirement';
import { attributeRequirements } from './match-source.ts';

/** Tenants choose the names, and the API server refuses a condition with too long a message. */
export const shorten = (text: string, most = 200): string =>
  text.length <= most ? text : `${text.slice(0, most - 1)}…`;

/** Describes the data of a source: `hive table db.sales`. */
export const sourceData = ({ spec }: DataSource): string =>
  shorten(`${spec.system} ${spec.type} ${spec.name}`);

/** Describes the data that a claim asks for. */
export const claimedData = ({ spec }: DataSourceClaim): string => {
  const { system, dataSourceType, dataSourceName } = spec;
  const requirements = attributeRequirements(spec).map(formatRequirement);
  const name = dataSourceName === undefined ? [] : [dataSourceName];
  const attributes = requirements.length === 0 ? [] : [`with ${requirements.join(', ')}`];
  return shorten([system, dataSourceType, ...name, ...attributes].join(' '));
};

import type {
  DataSourceClaim,
  DataSourceClaimSpec,
} from '@perigee/api/kinds/data/data-source-claim';
import { present } from '@perigee/schema/present';

/** The request to a provisioner: the data of a claim, regardless of who claims it. */
export type DataQuestion = Pick<
  DataSourceClaimSpec,
  'system' | 'dataSourceType' | 'dataSourceName' | 'attributes' | 'attributesSelector'
>;

/** The request for a claim. A name makes the selector void, and empty attributes are dropped. */
export const questionOf = ({ spec }: Pick<DataSourceClaim, 'spec'>): DataQuestion => {
  const { system, dataSourceType, dataSourceName, attributes = {}, attributesSelector } = spec;
  return {
    system,
    dataSourceType,
    ...present({
      dataSourceName,
      attributes: Object.keys(attributes).length === 0 ? undefined : attributes,
      attributesSelector: dataSourceName === undefined ? attributesSelector : undefined,
    }),
  };
};

const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** Canonical text: independent of the key order of the request. */
export const questionText = (question: DataQuestion): string => JSON.stringify(question, inOrder);

import type {
  DataSourceClaim,
  DataSourceClaimSpec,
} from '@perigee/api/kinds/data/data-source-claim';

/** What a provisioner is asked for: the data of a claim, whoever claims it and for which work. */
export type DataQuestion = Pick<
  DataSourceClaimSpec,
  'system' | 'dataSourceType' | 'dataSourceName' | 'attributes' | 'attributesSelector'
>;

/** The data that a claim asks for. A name leaves nothing to select, and no attributes are none. */
export const questionOf = ({ spec }: Pick<DataSourceClaim, 'spec'>): DataQuestion => {
  const { system, dataSourceType, dataSourceName, attributes = {}, attributesSelector } = spec;
  return {
    system,
    dataSourceType,
    ...(dataSourceName === undefined ? {} : { dataSourceName }),
    ...(Object.keys(attributes).length === 0 ? {} : { attributes }),
    ...(attributesSelector === undefined || dataSourceName !== undefined
      ? {}
      : { attributesSelector }),
  };
};

const inOrder = (_: string, value: unknown): unknown =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value;

/** The question as text: the same for the same question, in whatever order it was written. */
export const questionText = (question: DataQuestion): string => JSON.stringify(question, inOrder);

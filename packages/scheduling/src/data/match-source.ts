import type { DataSource, DataSourceLocality } from '@perigee/api/kinds/data/data-source';
import type {
  DataSourceClaim,
  DataSourceClaimSpec,
} from '@perigee/api/kinds/data/data-source-claim';
import {
  type LabelOperator,
  type LabelRequirement,
  labelValue,
  matchesRequirement,
} from '@perigee/api/values/label-requirement';
import type { LabelSelectorSpec } from '@perigee/api/values/label-selector';

const OPERATORS: { readonly [name: string]: LabelOperator } = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

/** Attribute values are free text, such as addresses: the syntax of label values does not apply. */
const requirementsOf = ({
  matchLabels = {},
  matchExpressions = [],
}: LabelSelectorSpec): readonly LabelRequirement[] => [
  ...Object.entries(matchLabels).map(
    ([key, value]): LabelRequirement => ({ key, operator: '=', values: [value] }),
  ),
  ...matchExpressions.map(
    ({ key, operator, values = [] }): LabelRequirement => ({
      key,
      operator: OPERATORS[operator] ?? 'in',
      values,
    }),
  ),
];

/**
 * The attribute requirements of a claim. A claim with a data source name ignores
 * `attributesSelector`.
 */
export const attributeRequirements = ({
  attributes = {},
  attributesSelector,
  dataSourceName,
}: DataSourceClaimSpec): readonly LabelRequirement[] =>
  requirementsOf({
    matchLabels: attributes,
  }).concat(
    attributesSelector === undefined || dataSourceName !== undefined
      ? []
      : requirementsOf(attributesSelector),
  );

/** The match of a source with a claim: it fits, or misses this many demands. */
export type SourceFit =
  | { readonly fits: true; readonly by: 'data' | 'object' }
  | { readonly fits: false; readonly misses: number; readonly why: string };

const describe = (
  { key, operator, values }: LabelRequirement,
  value: string | undefined,
): string => {
  const reality = value === undefined ? `it has no ${key}` : `its ${key} is ${value}`;
  if (operator === 'exists') return reality;
  if (operator === '!') return `${reality}, and should have none`;
  const valueText = values.join(' or ');
  return `${reality}, not ${operator === 'notin' ? 'anything but ' : ''}${valueText}`;
};

/** True if the data exists but is not located in any cluster yet. */
export const isNowhere = ({ clusterNames = [], clusterAffinity }: DataSourceLocality): boolean =>
  clusterNames.length === 0 && clusterAffinity === undefined;

/**
 * Matches a source with a claim. The claim's name is that of the data, within its system, type and
 * attributes; or that of the DataSource object, which then decides alone. A source that is being
 * deleted never fits. Neither does one without a location: work that waits for it must not take
 * part in anything until it can run.
 */
export const matchSource = (
  { spec }: DataSourceClaim,
  { metadata, spec: source }: DataSource,
): SourceFit => {
  const { system, dataSourceType, dataSourceName } = spec;
  const reasons = [
    ...(system === source.system ? [] : [`its system is ${source.system}, not ${system}`]),
    ...(dataSourceType === source.type
      ? []
      : [`its type is ${source.type}, not ${dataSourceType}`]),
    ...(dataSourceName === undefined || dataSourceName === source.name
      ? []
      : [`its data is ${source.name}, not ${dataSourceName}`]),
    ...attributeRequirements(spec)
      .filter((one) => !matchesRequirement(one, source.attributes ?? {}))
      .map((one) => describe(one, labelValue(source.attributes ?? {}, one.key))),
  ];
  const isNamed = dataSourceName !== undefined && dataSourceName === metadata.name;
  if (metadata.deletionTimestamp !== undefined) {
    return { fits: false, misses: reasons.length + 1, why: 'it is being deleted' };
  }
  if ((reasons.length === 0 || isNamed) && isNowhere(source.locality)) {
    return { fits: false, misses: 0, why: 'it is in no cluster yet' };
  }
  if (reasons.length === 0) return { fits: true, by: 'data' };
  if (isNamed) return { fits: true, by: 'object' };
  return { fits: false, misses: reasons.length, why: reasons.join(', ') };
};

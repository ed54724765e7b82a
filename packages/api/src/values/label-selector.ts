import { ParseError } from '@perigee/schema/errors';
import {
  checkLabelRequirement,
  formatRequirement,
  type LabelOperator,
  type LabelRequirement,
  type Labels,
  matchesRequirement,
} from './label-requirement.ts';
import { parseRequirements } from './label-selector-parser.ts';

/**
 * A selector of labels. No requirements select everything; only an absent selector selects
 * nothing.
 */
export type LabelSelector =
  | { readonly selects: 'nothing' }
  | { readonly selects: 'matching'; readonly requirements: readonly LabelRequirement[] };

/** The selector as it stands in an object's spec. */
export interface LabelSelectorSpec {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

const SELECT_NOTHING: LabelSelector = { selects: 'nothing' };

const selectorOf = (requirements: readonly LabelRequirement[]): LabelSelector => ({
  selects: 'matching',
  requirements: requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0)),
});

/** Reads `a=b,c!=d,e in (x,y),f notin (z),g,!h,i>1,j<2`. The empty text selects everything. */
export const parseLabelSelector = (text: string): LabelSelector =>
  selectorOf(parseRequirements(text));

const OPERATORS = new Map<string, LabelOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/** The selector of a spec. An absent one selects nothing, an empty one everything. */
export const labelSelectorOf = (spec: LabelSelectorSpec | null | undefined): LabelSelector => {
  if (spec === null || spec === undefined) return SELECT_NOTHING;
  const { matchLabels = {}, matchExpressions = [] } = spec;
  return selectorOf([
    ...Object.entries(matchLabels).map(([key, value]) =>
      checkLabelRequirement({ key, operator: '=', values: [value] }),
    ),
    ...matchExpressions.map(({ key, operator: name, values = [] }) => {
      const operator = OPERATORS.get(name);
      if (operator === undefined) {
        throw new ParseError(`${JSON.stringify(name)} is not a valid label selector operator`);
      }
      return checkLabelRequirement({ key, operator, values });
    }),
  ]);
};

export const matchesLabels = (selector: LabelSelector, labels: Labels | undefined): boolean =>
  selector.selects === 'matching' &&
  selector.requirements.every((requirement) => matchesRequirement(requirement, labels ?? {}));

/** True if a spec selects the labels. One that cannot be read selects nothing: it is one among others. */
export const specSelects = (
  spec: LabelSelectorSpec | null | undefined,
  labels: Labels | undefined,
): boolean => {
  try {
    return matchesLabels(labelSelectorOf(spec), labels);
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
};

/** The canonical text, sorted by key. The selector of nothing has none and comes out empty. */
export const formatLabelSelector = (selector: LabelSelector): string =>
  selector.selects === 'nothing' ? '' : selector.requirements.map(formatRequirement).join(',');

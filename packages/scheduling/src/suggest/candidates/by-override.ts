import type { Overriders } from '@perigee/api/kinds/placement/overriders';
import { pointerWords } from '@perigee/api/values/identity-paths';
import { nearNames } from '@perigee/api/values/near-names';
import { isJsonObject, type JsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { Template } from '../../placement/binding/desired-binding.ts';
import type { OverridingPolicy } from '../../placement/override/apply-policies.ts';
import { bestMatch } from '../../placement/policy/selector-match.ts';
import { applyPatch, patchBetween } from '../../plan/merge.ts';
import type { StuckWork } from '../stuck-work.ts';
import type { Candidate } from '../suggestion.ts';

/** Limit of operations to try. */
const MOST_OPERATIONS = 20;

type Rules = readonly { readonly overriders: Overriders }[];

/** Title of an operation, and the overriders with it removed or replaced. */
interface OverriderEdit {
  readonly text: string;
  readonly overriders: Overriders;
  readonly cost: number;
}

/** The path with its first unknown word replaced by a similar one. */
const correctedPath = (template: Template, path: string): string | undefined => {
  let value: JsonValue | undefined = template as never as JsonObject;
  const words = pointerWords(path);
  for (const [at, word] of words.entries()) {
    if (Array.isArray(value)) value = value[Number(word)];
    else if (!isJsonObject(value)) return undefined;
    else if (Object.hasOwn(value, word)) value = value[word];
    else {
      const [near] = nearNames(word, Object.keys(value));
      return near === undefined ? undefined : `/${words.with(at, near).join('/')}`;
    }
  }
  return undefined;
};

const titleOf = (kind: string, one: object): string => {
  const { path, containerName, predicate, fieldPath } = one as {
    readonly [field: string]: unknown;
  };
  const place = path ?? fieldPath ?? (predicate as { readonly path?: string } | undefined)?.path;
  if (typeof place === 'string') return `the change of ${place}`;
  return typeof containerName === 'string'
    ? `the ${kind} of the container ${containerName}`
    : `the ${kind}`;
};

/** The overriders with one operation removed, or one misspelt path corrected. */
const editsOf = (overriders: Overriders, template: Template): readonly OverriderEdit[] =>
  Object.entries(overriders).flatMap(([kind, list = []]) =>
    (list as readonly { readonly path?: string }[]).flatMap((one, at): readonly OverriderEdit[] => {
      const put = (next: readonly object[]) => ({ ...overriders, [kind]: next }) as Overriders;
      const rest = list.toSpliced(at, 1);
      const what = titleOf(kind, one);
      const path = one.path === undefined ? undefined : correctedPath(template, one.path);
      return [
        { text: `take ${what} out of`, overriders: put(rest), cost: 2 },
        ...(path === undefined
          ? []
          : [
              {
                text: `change ${path} instead of ${one.path}, which is not there, in`,
                overriders: put(list.with(at, { ...one, path } as never)),
                cost: 1,
              },
            ]),
      ];
    }),
  );

const changesOf = (policy: OverridingPolicy, template: Template): readonly Candidate[] => {
  const { metadata, spec } = policy;
  const { namespace, name } = metadata;
  const { resourceSelectors = [], overrideRules } = spec;
  if (resourceSelectors.length > 0 && bestMatch(resourceSelectors, template) === 0) return [];
  const rules: Rules = overrideRules ?? [{ overriders: spec.overriders ?? {} }];
  return rules.flatMap((rule, at) =>
    editsOf(rule.overriders, template).map(({ text, overriders, cost }): Candidate => {
      const next =
        overrideRules === undefined
          ? { ...spec, overriders }
          : {
              ...spec,
              overrideRules: rules.map((one, index) =>
                index === at ? { ...one, overriders } : one,
              ),
            };
      const patch = { spec: patchBetween(spec, next) };
      return {
        reason: 'FixOverride',
        text: `${text} the override policy ${name}`,
        cost,
        target: {
          apiVersion: 'policy.karmada.io/v1alpha1',
          kind: namespace ? 'OverridePolicy' : 'ClusterOverridePolicy',
          ...present({ namespace: namespace || undefined }),
          name,
        },
        patch,
        change: { kind: 'put', of: 'override', object: applyPatch(policy, patch) },
      };
    }),
  );
};

/** Candidates that change the override policies of the work. */
export const byOverride = ({ state, template }: StuckWork): readonly Candidate[] => {
  if (template === undefined) return [];
  const { namespace } = template.metadata;
  return [...state.overrides.values()]
    .filter(({ metadata }) => !metadata.namespace || metadata.namespace === namespace)
    .flatMap((policy) => changesOf(policy, template))
    .slice(0, MOST_OPERATIONS);
};

import type { ScheduleTriggerWritten } from '@perigee/api/kinds/placement/schedule-trigger';
import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { LabelRequirement } from '@perigee/api/values/label-requirement';
import { parseLabelSelector } from '@perigee/api/values/label-selector';
import type { Client } from '@perigee/kube/client/client';
import { RestMapper } from '@perigee/kube/client/rest-mapper';
import { present, unlessEmpty } from '@perigee/schema/present';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';
import { splitTarget } from '../../object-names.ts';

type TriggerSpec = ScheduleTriggerWritten['spec'];

/** Options shared by commands that move work. */
export interface TargetOptions {
  readonly namespace?: string;
  readonly allNamespaces?: boolean;
  readonly policy?: readonly string[];
  readonly clusterPolicy?: readonly string[];
  readonly selector?: string;
  readonly moveStarted?: boolean;
  readonly maxConcurrent?: number;
  readonly maxPerMinute?: number;
}

const OPERATORS: { readonly [operator: string]: string } = {
  '=': 'In',
  '==': 'In',
  in: 'In',
  '!=': 'NotIn',
  notin: 'NotIn',
  exists: 'Exists',
  '!': 'DoesNotExist',
};

const expressionOf = ({ key, operator, values }: LabelRequirement) => {
  const name = OPERATORS[operator];
  if (name === undefined) {
    throw new CommandError(EXIT.usage, `a trigger cannot select by "${operator}" of label ${key}`);
  }
  return { key, operator: name as 'In', ...present({ values: unlessEmpty(values) }) };
};

const labelsOf = (text: string) => {
  const selector = parseLabelSelector(text);
  const requirements = selector.selects === 'nothing' ? [] : selector.requirements;
  return { matchExpressions: requirements.map(expressionOf) };
};

/** Resolves resources such as `deployment/web`. */
const resourcesOf = async (client: Client, names: readonly string[], namespace: string) => {
  const mapper = new RestMapper(client);
  return Promise.all(
    names.map(async (text) => {
      const { kind: kindName, name } = splitTarget(text);
      if (name === undefined) {
        const hint = 'say a kind and a name, such as deployment/web';
        throw new CommandError(EXIT.usage, `"${text}" names nothing: ${hint}`);
      }
      const resource = await mapper.byName(kindName);
      const place = resource.scope === 'Namespaced' ? { namespace } : {};
      return { apiVersion: apiVersionOf(resource), kind: resource.kind, name, ...place };
    }),
  );
};

/** The trigger spec of a command line; without any target it has none. */
export const triggerSpec = async (
  client: Client,
  names: readonly string[],
  options: TargetOptions,
  usualNamespace: string,
): Promise<TriggerSpec> => {
  const { namespace = usualNamespace, allNamespaces = false, selector } = options;
  const { policy = [], clusterPolicy = [], moveStarted, maxConcurrent, maxPerMinute } = options;
  const resources = await resourcesOf(client, names, namespace);
  const policies = [
    ...policy.map((name) => ({ name, namespace })),
    ...clusterPolicy.map((name) => ({ name })),
  ];
  const isSelecting =
    selector !== undefined ||
    allNamespaces ||
    (options.namespace !== undefined && resources.length + policies.length === 0);
  const selectors = [
    present({
      namespaces: allNamespaces ? undefined : [namespace],
      labelSelector: selector === undefined ? undefined : labelsOf(selector),
    }),
  ];
  return present({
    targetRefResource: unlessEmpty(resources),
    targetRefPolicy: unlessEmpty(policies),
    targetSelectors: isSelecting ? selectors : undefined,
    moveStarted,
    maxConcurrent,
    maxPerMinute,
  });
};

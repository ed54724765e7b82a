import { readFile } from 'node:fs/promises';
import { PodGroup } from '@perigee/api/kinds/groups/pod-group';
import { InvalidRulesError } from '@perigee/controllers/errors';
import { fetchLineage } from '@perigee/controllers/groups/fetch-lineage';
import { RULES, RULES_KEY } from '@perigee/controllers/groups/group-rules-controller';
import { GROUPING_SCHEDULERS } from '@perigee/controllers/groups/pod-group-controllers';
import { readGroupLevels } from '@perigee/controllers/groups/read-group-levels';
import type { Client } from '@perigee/kube/client/client';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { isNotServed, YamlError } from '@perigee/kube/errors';
import { parseYaml } from '@perigee/kube/yaml/parse-yaml';
import { ConfigMap } from '@perigee/kubernetes/core/config-map';
import { Pod } from '@perigee/kubernetes/core/pod';
import { DEFAULT_LEVELS, type GroupLevels } from '@perigee/scheduling/groups/group-levels';
import { membershipOf } from '@perigee/scheduling/groups/group-membership';
import { groupNameOf, isFreeGroup } from '@perigee/scheduling/groups/group-names';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';
import { present } from '@perigee/schema/present';
import type { Command } from 'commander';
import { openConnection } from '../connect.ts';
import { CommandError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import { canBeName } from '../object-names.ts';
import { formatStructured } from '../output/structured-output.ts';
import { formatLineage, type LineageReport, reasonOf } from './format-lineage.ts';

export interface LineageOptions {
  readonly namespace?: string;
  readonly rules?: string;
  readonly output?: string;
}

interface Rules extends Pick<LineageReport, 'rulesFrom'> {
  readonly levels: GroupLevels;
}

const WHERE = `ConfigMap ${RULES.namespace}/${RULES.name}`;

/** Reads the rules from a file: their bare text, or a ConfigMap. */
const confIn = (text: string): string => {
  let value: JsonValue;
  try {
    ({ value } = parseYaml(text));
  } catch (error) {
    // Told with its line by the reader of rules, which is given the same text.
    if (error instanceof YamlError) return text;
    throw error;
  }
  const data = isJsonObject(value) ? value.data : undefined;
  const conf = isJsonObject(data) ? data[RULES_KEY] : undefined;
  return typeof conf === 'string' ? conf : text;
};

const rulesOfFile = async (file: string): Promise<Rules> => {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(EXIT.usage, `--rules ${file} cannot be read`, { cause: error });
  });
  const conf = confIn(text);
  try {
    return { levels: readGroupLevels(conf), rulesFrom: `${file}, which is not in force` };
  } catch (error) {
    if (!(error instanceof InvalidRulesError)) throw error;
    const where = conf === text ? file : `${file}: ${RULES_KEY}`;
    throw new CommandError(EXIT.invalid, `--rules ${where}: ${error.message}`);
  }
};

const rulesOfCluster = async (client: Client): Promise<Rules> => {
  const configMap = await getOrUndefined(client, ConfigMap, RULES);
  const conf = configMap?.data?.[RULES_KEY];
  const defaults = (why: string): Rules => ({
    levels: DEFAULT_LEVELS,
    rulesFrom: `the defaults: ${why}`,
  });
  if (conf === undefined) return defaults(`there is no ${WHERE} with ${RULES_KEY}`);
  let levels: GroupLevels;
  try {
    levels = readGroupLevels(conf);
  } catch (error) {
    if (!(error instanceof InvalidRulesError)) throw error;
    return defaults(`${WHERE} is wrong, and earlier rules may be in force: ${error.message}`);
  }
  return { levels, rulesFrom: WHERE };
};

const podNameIn = (target: string): string => {
  const [, name] = /^(?:pods?|po)\/([^/]+)$/i.exec(target) ?? [];
  if (name !== undefined) return name;
  throw new CommandError(EXIT.usage, `${target} is no pod: write pod/<name>`);
};

interface NamedGroup {
  readonly group?: PodGroup;
  /** True if the pod may get another. */
  readonly isFree: boolean;
}

/** Without PodGroups on the server, nobody takes a pod out of the group that it names. */
const NO_GROUP: NamedGroup = { isFree: false };

const readGroup = async (
  client: Client,
  namespace: string,
  name: string | undefined,
): Promise<NamedGroup> => {
  if (name === undefined || !canBeName(name)) return NO_GROUP;
  try {
    const group = await getOrUndefined(client, PodGroup, { namespace, name });
    return { ...present({ group }), isFree: isFreeGroup(name, group) };
  } catch (error) {
    if (isNotServed(error)) return NO_GROUP;
    throw error;
  }
};

/** Draws the owners of a pod, and explains which one has its group. */
export const runLineage = async (
  target: string,
  { namespace: namespaceOption, rules, output }: LineageOptions,
  command: Command,
): Promise<void> => {
  const name = podNameIn(target);
  await using connection = await openConnection(command.optsWithGlobals());
  const { client } = connection;
  const namespace = namespaceOption ?? connection.namespace;
  const pod = await client.get(Pod, { namespace, name });
  const { levels, rulesFrom } = await (rules === undefined
    ? rulesOfCluster(client)
    : rulesOfFile(rules));
  const { owners, end, lookUp } = await fetchLineage(client, pod);
  const currentGroup = groupNameOf(pod);
  const { group, isFree } = await readGroup(client, namespace, currentGroup);
  const membership = membershipOf(pod, levels, lookUp, isFree);
  if (membership.kind === 'pending') throw new Error('the owners were read and are not known');
  const { schedulerName } = pod.spec;
  const isServed = GROUPING_SCHEDULERS.includes(schedulerName ?? '');
  const report: LineageReport = {
    pod,
    owners,
    end,
    rulesFrom,
    membership,
    currentGroup,
    group,
    ...present({ otherScheduler: isServed ? undefined : (schedulerName ?? '') }),
  };
  const data = {
    pod: { namespace, name },
    owners: owners.map(({ reference }) => reference),
    end: end.kind,
    ...present({ owner: membership.kind === 'chosen' ? undefined : membership.decided.owner }),
    because: reasonOf(membership),
    rules: rulesFrom,
    group: membership.name,
    ...present({ in: currentGroup }),
  };
  process.stdout.write((await formatStructured(output, data)) ?? formatLineage(report));
};

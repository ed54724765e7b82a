import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { age, text, textColumn, wide } from './column.ts';
import { at, isConditionTrue, listAt, textAt } from './fields.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';
const ROLE_LABEL = 'kubernetes.io/role';

const statusOf = (node: JsonObject): string => {
  const isKnown = listAt(node, 'status', 'conditions').some(({ type }) => type === 'Ready');
  const readiness = isConditionTrue(node, 'Ready') ? 'Ready' : 'NotReady';
  const words = [isKnown ? readiness : 'Unknown'];
  if (at(node, 'spec', 'unschedulable') === true) words.push('SchedulingDisabled');
  return words.join(',');
};

const rolesOf = (node: JsonObject): string => {
  const labels = at(node, 'metadata', 'labels');
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(isJsonObject(labels) ? labels : {})) {
    if (key.startsWith(ROLE_PREFIX)) roles.add(key.slice(ROLE_PREFIX.length));
    else if (key === ROLE_LABEL) roles.add(String(value));
  }
  roles.delete('');
  return [...roles].sort().join(',') || '<none>';
};

const addressOf =
  (type: string) =>
  (node: JsonObject): string => {
    const nodeAddress = listAt(node, 'status', 'addresses').find(
      (address) => address.type === type,
    );
    return nodeAddress === undefined ? '<none>' : textAt(nodeAddress, 'address');
  };

const infoOf =
  (field: string) =>
  (node: JsonObject): string =>
    textAt(node, 'status', 'nodeInfo', field) || '<unknown>';

const kernelOf = (node: JsonObject): string => {
  const architecture = textAt(node, 'status', 'nodeInfo', 'architecture');
  return infoOf('kernelVersion')(node) + (architecture === '' ? '' : ` (${architecture})`);
};

export const nodeColumns = [
  text('Status', 'Whether the node can run pods.', statusOf),
  text('Roles', 'What the node is for.', rolesOf),
  age,
  textColumn('Version', 'The version of its kubelet.', ['status', 'nodeInfo', 'kubeletVersion']),
  wide('Internal-IP', 'Its address in the cluster.', addressOf('InternalIP')),
  wide('External-IP', 'Its address for the world outside.', addressOf('ExternalIP')),
  wide('OS-Image', 'The operating system that it runs.', infoOf('osImage')),
  wide('Kernel-Version', 'The kernel that it runs.', kernelOf),
  wide('Container-Runtime', 'What runs its containers.', infoOf('containerRuntimeVersion')),
];

import type { JsonObject } from '@perigee/schema/json';
import {
  changedAt,
  changedItems,
  filled,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
  textsAt,
  withField,
} from '@perigee/schema/json-fields';
import type { Default } from '../type-defaults.ts';
import { withPodRequests } from './resource-defaults.ts';

/** The first address alone, which old clients write, decides when it differs from the list. */
const withPodAddresses = (status: JsonObject): JsonObject => {
  const address = textAt(status, 'podIP');
  const first = textAt(objectsAt(status, 'podIPs')[0] ?? {}, 'ip');
  if (address === first) return status;
  return address === ''
    ? withField(status, 'podIP', first)
    : withField(status, 'podIPs', [{ ip: address }]);
};

const withBlocks = (spec: JsonObject): JsonObject => {
  const block = textAt(spec, 'podCIDR');
  const first = textsAt(spec, 'podCIDRs')[0] ?? '';
  if (block === first) return spec;
  return block === '' ? withField(spec, 'podCIDR', first) : withField(spec, 'podCIDRs', [block]);
};

/** A node with a capacity alone offers all of it. */
const withAllocatable = (status: JsonObject): JsonObject => {
  const capacity = objectAt(status, 'capacity');
  return Object.keys(capacity).length === 0 ? status : filled(status, { allocatable: capacity });
};

const podAddresses: Default = (pod) => changedAt(pod, 'status', withPodAddresses);

const node: Default = (object) =>
  changedAt(changedAt(object, 'spec', withBlocks), 'status', withAllocatable);

/** The tag of an image reference; `latest` if it has none, nothing if it names a digest instead. */
const imageTagOf = (image: string): string => {
  const [nameAndTag = '', digest] = image.split('@');
  const lastPart = nameAndTag.slice(nameAndTag.lastIndexOf('/') + 1);
  const colon = lastPart.indexOf(':');
  if (colon >= 0) return lastPart.slice(colon + 1);
  return digest === undefined && nameAndTag !== '' ? 'latest' : '';
};

const FILE_MODE = 0o644;
const withMode: Default = (source) => filled(source, { defaultMode: FILE_MODE });

const pullPolicyOf = (image: string): string =>
  imageTagOf(image) === 'latest' ? 'Always' : 'IfNotPresent';

const container: Default = (value) =>
  filled(value, {
    imagePullPolicy: pullPolicyOf(textAt(value, 'image')),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });

const volume: Default = (value) => {
  const { name, ...source } = value;
  if (Object.keys(source).length === 0) return { ...value, emptyDir: {} };
  return changedAt(value, 'image', (image) =>
    filled(image, { pullPolicy: pullPolicyOf(textAt(image, 'reference')) }),
  );
};

/** Both names of the service account are written, whichever was given. */
const podSpec: Default = (value) => {
  const account = value.serviceAccountName ?? value.serviceAccount;
  const both = filled(value, { serviceAccountName: account, serviceAccount: account });
  return filled(withField(both, 'serviceAccount', account), {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
    terminationGracePeriodSeconds: 30,
    securityContext: {},
  });
};

const requestsOfLimits: Default = (value) => {
  const limits = objectAt(value, 'resources', 'limits');
  if (Object.keys(limits).length === 0) return value;
  return changedAt(value, 'resources', (resources) =>
    withField(resources, 'requests', filled(objectAt(resources, 'requests'), limits)),
  );
};

const hostPorts: Default = (value) =>
  changedItems(value, 'ports', (port) =>
    filled(port, port.containerPort === undefined ? {} : { hostPort: port.containerPort }),
  );

const inContainers = (spec: JsonObject, change: Default): JsonObject =>
  changedItems(changedItems(spec, 'containers', change), 'initContainers', change);

/** Once a grace period could be negative, which stands for the shortest that there is. */
const atLeastOneSecond: Default = (spec) =>
  (numberAt(spec, 'terminationGracePeriodSeconds') ?? 0) < 0
    ? { ...spec, terminationGracePeriodSeconds: 1 }
    : spec;

/** Defaults of pods that do not hold for the templates of pods. */
const pod: Default = (value) =>
  changedAt(podAddresses(value), 'spec', (spec) => {
    const asking = inContainers(atLeastOneSecond(spec), requestsOfLimits);
    const linked = filled(withPodRequests(asking), { enableServiceLinks: true });
    return spec.hostNetwork === true ? inContainers(linked, hostPorts) : linked;
  });

export const POD_DEFAULTS: readonly (readonly [type: string, apply: Default])[] = [
  ['core.v1.Pod', pod],
  ['core.v1.Node', node],
  ['core.v1.PodSpec', podSpec],
  ['core.v1.Container', container],
  ['core.v1.EphemeralContainer', container],
  ['core.v1.Volume', volume],
  [
    'core.v1.Probe',
    (probe) =>
      filled(probe, {
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      }),
  ],
  ['core.v1.HTTPGetAction', (action) => filled(action, { path: '/', scheme: 'HTTP' })],
  ['core.v1.ObjectFieldSelector', (selector) => filled(selector, { apiVersion: 'v1' })],
  ['core.v1.SecretVolumeSource', withMode],
  ['core.v1.ConfigMapVolumeSource', withMode],
  ['core.v1.DownwardAPIVolumeSource', withMode],
  ['core.v1.ProjectedVolumeSource', withMode],
  ['core.v1.ServiceAccountTokenProjection', (token) => filled(token, { expirationSeconds: 3600 })],
  ['core.v1.HostPathVolumeSource', (source) => filled(source, { type: '' })],
];

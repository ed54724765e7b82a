import type { KubeObject } from '@perigee/api/meta/object-meta';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import { objectIn, objectsIn } from '@perigee/scheduling/interpreter/fields';
import type { Suggestion } from '@perigee/scheduling/suggest/suggestion';
import type { JsonObject } from '@perigee/schema/json';

type SuggestedChange = Suggestion['changes'][number];

/** Quotes a text for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

const inNamespace = (namespace: string | undefined): string =>
  namespace === undefined ? '' : ` -n ${namespace}`;

const REPLICAS: ReadonlySet<SuggestedChange['reason']> = new Set(['FewerReplicas', 'MoreReplicas']);

const SCALED: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet']);

/** The command that makes a change; undefined if no single command can. */
export const commandFor = async (
  mapper: RestMapper,
  { reason, target, patch, manifest }: SuggestedChange,
): Promise<string | undefined> => {
  if (manifest !== undefined) {
    const { namespace } = (manifest as KubeObject).metadata;
    return `echo ${quoted(JSON.stringify(manifest))} | kubectl create${inNamespace(namespace)} -f -`;
  }
  if (target === undefined || patch === undefined) return undefined;
  const { plural, group } = await mapper.byKind(target.apiVersion, target.kind);
  const kind = group === '' ? plural : `${plural}.${group}`;
  const where = inNamespace(target.namespace);
  if (REPLICAS.has(reason) && SCALED.has(target.kind)) {
    const { replicas } = (patch as { readonly spec: { readonly replicas: number } }).spec;
    return `kubectl scale ${kind} ${target.name}${where} --replicas=${replicas}`;
  }
  if (reason === 'SmallerRequests' && (SCALED.has(target.kind) || target.kind === 'DaemonSet')) {
    const [container] = objectsIn(patch as JsonObject, 'spec', 'template', 'spec', 'containers');
    const requests = Object.entries(objectIn(container ?? {}, 'resources', 'requests'));
    const words = requests.map(([name, amount]) => `${name}=${amount}`).join(',');
    return `kubectl set resources ${kind} ${target.name}${where} --requests=${words}`;
  }
  return `kubectl patch ${kind} ${target.name}${where} --type=merge -p ${quoted(JSON.stringify(patch))}`;
};

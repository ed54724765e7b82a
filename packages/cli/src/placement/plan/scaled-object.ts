import { apiVersionOf } from '@perigee/api/meta/resource-kind';
import type { Client } from '@perigee/kube/client/client';
import type { RestMapper } from '@perigee/kube/client/rest-mapper';
import type { Template } from '@perigee/scheduling/placement/binding/desired-binding';
import { CommandError } from '../../errors.ts';
import { EXIT } from '../../exit-codes.ts';

const FORM = /^([^/=]+)\/([^/=]+)=(\d{1,9})$/;

/** The workload of an argument such as `deployment/web=40` with that number of replicas, by a dry run. */
export const scaledObject = async (
  client: Client,
  mapper: RestMapper,
  words: string,
  namespace: string,
): Promise<Template> => {
  const [, kindName, name, count] = FORM.exec(words) ?? [];
  if (kindName === undefined || name === undefined || count === undefined) {
    throw new CommandError(EXIT.failed, `"${words}" should be like deployment/web=40`);
  }
  const resource = await mapper.byName(kindName);
  const ref = resource.scope === 'Namespaced' ? { namespace, name } : { name };
  // Jobs have `parallelism` instead of `replicas`.
  const field = resource.kind === 'Job' ? 'parallelism' : 'replicas';
  const patch = { type: 'merge', body: { spec: { [field]: Number(count) } } } as const;
  const object = await client.patch(resource, ref, patch, { dryRun: true });
  return { ...object, apiVersion: apiVersionOf(resource), kind: resource.kind } as Template;
};

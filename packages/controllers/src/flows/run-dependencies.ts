import type { Job } from '@perigee/kubernetes/batch/job';
import { type Operation, statusOf } from '@perigee/scheduling/flows/operation';
import {
  DEPENDENCIES,
  readDependencies,
  writeDependencies,
} from '@perigee/scheduling/placement/binding/dependencies';
import { present } from '@perigee/schema/present';

type Words = { readonly [key: string]: string };

/**
 * The annotations of the binding of a Job, without the dependencies that a transfer brings: objects of tenants by
 * these names would replace its orders, which run with its keys.
 */
export const withoutBrought = (
  { [DEPENDENCIES]: text, ...others }: Words,
  operation: Operation,
  { metadata: { name: run } }: Job,
): Words => {
  const isBrought = ({ kind, name }: { readonly kind: string; readonly name?: string }): boolean =>
    statusOf(operation).transfer !== undefined &&
    name === run &&
    (kind === 'ConfigMap' || kind === 'Secret');
  const all = readDependencies(present({ [DEPENDENCIES]: text }));
  return { ...others, ...writeDependencies(all.filter((one) => !isBrought(one))) };
};

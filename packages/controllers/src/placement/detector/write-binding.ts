import type { Client, WriteOptions } from '@perigee/kube/client/client';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { bindingAfter } from '@perigee/scheduling/placement/binding/binding-after';
import type { DesiredBinding } from '@perigee/scheduling/placement/binding/desired-binding';
import { newBinding } from '@perigee/scheduling/placement/binding/new-binding';

/** Creates or updates the binding; returns true if there was a write. */
export const writeBinding = async (
  client: Pick<Client, 'create' | 'update'>,
  kind: BindingKind,
  present: Binding | undefined,
  desired: DesiredBinding,
  options: WriteOptions,
): Promise<boolean> => {
  if (present === undefined) {
    await client.create(kind, newBinding(desired) as never, options);
    return true;
  }
  const next = bindingAfter(present, desired);
  if (next === present) return false;
  await client.update(kind, next as never, options);
  return true;
};

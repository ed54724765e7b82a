import type { BindingSpec } from '@perigee/api/kinds/placement/binding-spec';
import type { BindingStatus } from '@perigee/api/kinds/placement/binding-status';
import type { Client, WriteOptions } from '@perigee/kube/client/client';
import { patchStatus } from '@perigee/kube/client/patch-status';
import { refOf } from '@perigee/kube/client/ref-of';
import { isConflict } from '@perigee/kube/errors';
import type { Binding, BindingKind } from '@perigee/scheduling/placement/binding/binding';
import { present } from '@perigee/schema/present';

/** The client and its identity, and a callback for the server's response. */
export interface StatusWriter {
  readonly client: Pick<Client, 'get' | 'patch'>;
  readonly options: WriteOptions;
  readonly note: (binding: Binding) => void;
}

const changedFields = (before: BindingStatus, after: BindingStatus): Partial<BindingStatus> =>
  Object.fromEntries(
    Object.entries(after).filter(([field, value]) => before[field as never] !== value),
  );

/** Attempts after conflicts; then the binding is reconciled again. */
const TRIES = 5;

/**
 * Writes the status fields that differ from the present status, and returns them. Guarded:
 * other controllers have conditions in the same list, which is replaced as a whole. After a conflict
 * the status is computed again from the newest one.
 */
export const writeStatus = async (
  kind: BindingKind,
  binding: Binding,
  next: (status: BindingStatus, spec: BindingSpec) => BindingStatus,
  { client, options, note }: StatusWriter,
): Promise<Partial<BindingStatus>> => {
  let latestBinding = binding;
  for (let tries = 1; ; tries += 1) {
    const { spec, status = {} } = latestBinding;
    const changes = changedFields(status, next(status, spec));
    if (Object.keys(changes).length === 0) return changes;
    try {
      note(await patchStatus(client, kind, latestBinding, changes, options));
      return changes;
    } catch (error) {
      if (!isConflict(error) || tries === TRIES) throw error;
    }
    latestBinding = await client.get(kind, refOf(binding), present({ signal: options.signal }));
    if (latestBinding.metadata.uid !== binding.metadata.uid) return {};
  }
};

import { DataSource } from '@perigee/api/kinds/data/data-source';
import { getOrUndefined } from '@perigee/kube/client/get-or-undefined';
import { refOf } from '@perigee/kube/client/ref-of';
import type { ReconcileContext } from '@perigee/kube/controller/define-controller';
import { isAlreadyExists } from '@perigee/kube/errors';
import { askedFor } from '@perigee/scheduling/data/provision/made-source';
import { present } from '@perigee/schema/present';
import { sameJson } from '@perigee/schema/same-json';

const FIELD_MANAGER = 'perigee-data-provisioner';

/**
 * Updates the fields that come from the provisioner, guarded by the resource version. Fields that users set are
 * kept.
 */
export const refreshSource = async (
  storedSource: DataSource,
  { spec }: DataSource,
  { client, signal }: ReconcileContext,
): Promise<void> => {
  const { locality, attributes, size } = spec;
  const { locality: oldLocality, attributes: oldAttributes, size: oldSize } = storedSource.spec;
  const isSame =
    sameJson(locality as never, oldLocality as never) &&
    sameJson(attributes, oldAttributes) &&
    sameJson(size, oldSize);
  if (isSame) return;
  const { attributes: _, size: __, ...others } = storedSource.spec;
  const next = {
    ...others,
    locality,
    ...present({ attributes, size }),
  };
  const options = { fieldManager: FIELD_MANAGER, signal };
  await client.update(DataSource, { ...storedSource, spec: next }, options);
};

/** Creates the source, or refreshes an existing one of the provisioner. Returns false if a user created it. */
export const writeMadeSource = async (
  source: DataSource,
  context: ReconcileContext,
): Promise<boolean> => {
  const { client, signal } = context;
  const options = { fieldManager: FIELD_MANAGER, signal };
  try {
    await client.create(DataSource, source, options);
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  const storedSource = await getOrUndefined(client, DataSource, refOf(source), { signal });
  if (storedSource === undefined) return true;
  if (askedFor(storedSource) === undefined) return false;
  await refreshSource(storedSource, source, context);
  return true;
};

import { object, string } from '@perigee/schema/structural/builder';
import { optional, type StoredOf } from '@perigee/schema/structural/schema';

export const workloadReferenceFields = () => ({
  apiVersion: string('The API version of the resource, such as apps/v1.', { minLength: 1 }),
  kind: string('The kind of the resource, such as Deployment.', { minLength: 1 }),
  name: string('The name of the resource.', { minLength: 1 }),
  namespace: optional(
    string('The namespace of the resource; none for a resource without a namespace.'),
  ),
});

/** A resource of the control plane that is to be scheduled afresh. */
export const workloadReference = (description: string) =>
  object(description, workloadReferenceFields());

export type WorkloadReference = StoredOf<ReturnType<typeof workloadReference>>;

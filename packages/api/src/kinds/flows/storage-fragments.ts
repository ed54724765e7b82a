import { boolean, int64, list, map, object, string } from '@perigee/schema/structural/builder';
import { optional } from '@perigee/schema/structural/schema';
import type { ValidationRule } from '@perigee/schema/structural/structural-schema';

/** Fragments about storage and the access to it. */

export const options = (description: string) =>
  map(description, string('The value of the option.'));

/** Options whose values are secret and therefore stand in Secrets. */
export const encryptOptions = (description: string) =>
  list(
    description,
    object('One option with a secret value.', {
      name: string('The name of the option, such as access-key.'),
      valueFrom: optional(
        object('Where the value is.', {
          secretKeyRef: optional(
            object('An entry of a Secret in the same namespace.', {
              name: string('The name of the Secret.'),
              key: optional(string('The key of the entry.')),
            }),
          ),
        }),
      ),
    }),
  );

export const backupPlace: ValidationRule = {
  rule: "self.matches('^(local|pvc|nfs|s3|s3a|minio|oss)://')",
  message:
    'must be local://<directory>, pvc://<claim>/<directory>, nfs://<server>/<directory> or s3://<bucket>/<directory>',
};

export const user = (description: string) =>
  object(description, {
    uid: int64('The number of the user.', { minimum: 0 }),
    gid: int64('The number of the group.', { minimum: 0 }),
    user: string('The name of the user.'),
    group: string('The name of the group.'),
  });

export const mount = (description: string) =>
  object(description, {
    mountPoint: string(
      'The storage, as a URL such as s3://bucket/dir, local:///dir, pvc://claim/dir or dataset://namespace/name.',
      { minLength: 5 },
    ),
    name: optional(string('The name of the mount.')),
    path: optional(
      string('Where the storage appears in the dataset; /<name> when this is left out.'),
    ),
    readOnly: optional(boolean('Whether the storage is never written to.')),
    shared: optional(boolean('Whether several users share the mount.')),
    options: optional(options('Options for this storage.')),
    encryptOptions: optional(encryptOptions('Options for this storage with secret values.')),
  });

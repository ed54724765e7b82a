import { list, listMap, object, open, string } from '@perigee/schema/structural/builder';
import { check, optional, type StoredOf } from '@perigee/schema/structural/schema';
import { resourceRequirements } from '../../fragments/pod-resources.ts';

const volume = check(
  object('A volume: a claim that exists, or one to make.', {
    mountPath: string('The path in the containers.', {
      minLength: 1,
      maxLength: 4096,
      pattern: '^[^:]+$',
    }),
    volumeClaimName: optional(
      string('The name of a claim that exists; filled in for one that is made.', {
        maxLength: 253,
      }),
    ),
    volumeClaim: optional(
      open(
        object('The claim to make.', {
          accessModes: optional(list('How it is mounted.', string('A mode.'))),
          storageClassName: optional(string('The class of storage.')),
          volumeName: optional(string('The volume to take, if it is known.')),
          resources: optional(resourceRequirements('How much it has to hold.')),
        }),
      ),
    ),
  }),
  {
    rule: "has(self.volumeClaim) || (has(self.volumeClaimName) && self.volumeClaimName != '')",
    message: 'name a claim that exists by volumeClaimName, or describe a new one by volumeClaim',
    reason: 'FieldValueRequired',
    fieldPath: '.volumeClaimName',
  },
  {
    rule: 'has(self.volumeClaim) == has(oldSelf.volumeClaim) && (has(self.volumeClaim) ? self.volumeClaim == oldSelf.volumeClaim : self.volumeClaimName == oldSelf.volumeClaimName)',
    message: 'volumes cannot change once the job exists',
    reason: 'FieldValueForbidden',
  },
);

export const jobVolumes = (description: string) =>
  check(listMap(description, ['mountPath'], volume, { maxItems: 256 }), {
    rule: 'self.map(v, v.mountPath) == oldSelf.map(v, v.mountPath)',
    message: 'volumes cannot be added, removed or moved once the job exists',
    reason: 'FieldValueForbidden',
  });

export type JobVolume = StoredOf<ReturnType<typeof jobVolumes>>[number];

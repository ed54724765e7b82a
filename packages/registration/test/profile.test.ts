import assert from 'node:assert/strict';
import { test } from 'node:test';
import { admit } from '@perigee/api/kind/admit';
import { ClusterRecord } from '@perigee/api/kinds/clusters/cluster-record';
import type { JsonObject } from '@perigee/schema/json';
import fc from 'fast-check';
import { profilePath, recordPath } from '../src/profile/profile-names.ts';
import { readProfile } from '../src/profile/read-profile.ts';
import { toProfile } from '../src/profile/to-profile.ts';

const text = fc.string({ minLength: 1, maxLength: 20 });
const count = fc.integer({ min: 0 });
/** JSON objects have Object.prototype; fast-check must not generate others. */
const whole = { noNullPrototype: true } as const;
const some = { ...whole, requiredKeys: [] };

const spec = fc.record(
  {
    type: fc.constantFrom('kubernetes' as const, 'virtual' as const, 'openstack' as const),
    ipAddress: fc.ipV4(),
    apiEndpoint: fc.constant('https://10.0.0.3:6443'),
    secretRef: fc.record({ namespace: text, name: text }, whole),
    geoLocation: fc.record({ city: text, province: text, area: text, country: text }, some),
    region: fc.record({ region: text, availabilityZone: text }, some),
    operator: fc.record({ operator: text }, some),
    flavors: fc.uniqueArray(fc.record({ flavorID: text, totalCapacity: count }, whole), {
      selector: ({ flavorID }) => flavorID,
    }),
    storage: fc.uniqueArray(
      fc.record(
        {
          typeID: fc.constantFrom('sata' as const, 'sas' as const, 'ssd' as const),
          storageCapacity: count,
        },
        whole,
      ),
      { selector: ({ typeID }) => typeID },
    ),
    eipCapacity: count,
    cpuCapacity: count,
    memCapacity: count,
    serverPrice: count,
    homeScheduler: text,
    homeDispatcher: text,
  },
  some,
);

const metadata = { uid: 'u', name: 'c', resourceVersion: '1', creationTimestamp: '' };

test('a record that is shown and registered again is the same record', () => {
  fc.assert(
    fc.property(spec, (written) => {
      const { object } = admit(ClusterRecord, { metadata: { name: 'c' }, spec: written });
      const shown = toProfile({ ...object, metadata });
      const { cluster } = readProfile({ cluster_profile: { ...shown } } as unknown as JsonObject);
      const again = admit(ClusterRecord, cluster);
      assert.deepEqual(again.object.spec, object.spec);
      assert.deepEqual(again.unknownFields, []);
    }),
    { numRuns: 100 },
  );
});

test('paths of the record and of the profile lead to each other', () => {
  const pairs = [
    ['metadata.name', 'cluster_profile.cluster_name'],
    ['metadata.labels[a.b/c]', 'cluster_profile.cluster_labels[a.b/c]'],
    ['spec.ipAddress', 'cluster_profile.cluster_spec.ipAdrress'],
    ['spec.region.availabilityZone', 'cluster_profile.cluster_spec.Region.AvailabilityZone'],
    ['spec.flavors[3].totalCapacity', 'cluster_profile.cluster_spec.flavors[3].TotalCapacity'],
    ['spec.secretRef.name', 'cluster_profile.cluster_spec.secretRef.name'],
    ['spec.what.ever', 'cluster_profile.cluster_spec.what.ever'],
    ['status.homeScheduler', 'cluster_profile.cluster_status.homeScheduler'],
  ] as const;
  for (const [record, profile] of pairs) {
    assert.equal(profilePath(record), profile);
    assert.equal(recordPath(profile), record);
    assert.equal(recordPath(profile.slice('cluster_profile.'.length)), record);
    assert.equal(recordPath(record), record);
  }
  assert.equal(profilePath('body'), 'body');
  assert.equal(profilePath('specialities'), 'specialities');
});

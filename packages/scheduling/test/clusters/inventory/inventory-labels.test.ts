import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  INVENTORY_LABELS,
  inventoryLabels,
  labelValue,
} from '@perigee/scheduling/clusters/inventory/inventory-labels';
import { checkLabelValue } from '@perigee/schema/values/names';
import fc from 'fast-check';

const SPELLINGS: readonly (readonly [text: string, value: string])[] = [
  ['Bellevue', 'Bellevue'],
  ['São Paulo', 'Sao-Paulo'],
  ['Frankfurt am Main (Höchst)', 'Frankfurt-am-Main-Hochst'],
  ['us-west_1.a', 'us-west_1.a'],
  ['北京', 'u5317u4eac'],
  ['  --x--  ', 'x'],
  ['!!!', ''],
  ['a'.repeat(70), 'a'.repeat(63)],
];
for (const [text, value] of SPELLINGS) {
  test(`"${text}" is labelled ${value || 'with nothing'}`, () => {
    assert.equal(labelValue(text), value);
  });
}

test('whatever the text, the value is one that a label may have, and stays the same when labelled again', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 100 }), (text) => {
      const value = labelValue(text);
      assert.deepEqual(checkLabelValue(value), []);
      assert.equal(labelValue(value), value);
    }),
    { numRuns: 300 },
  );
});

test('a record gets a label for each thing that it says, and for nothing else', () => {
  const { city, country, provider, region, zone, type } = INVENTORY_LABELS;
  const spec = {
    type: 'virtual',
    geoLocation: { city: 'Bellevue', province: '', country: 'US' },
    region: { region: 'us-west', availabilityZone: 'us-west-1' },
    operator: { operator: 'Global Scheduler' },
  } as const;
  assert.deepEqual(inventoryLabels({ spec }), {
    [type]: 'virtual',
    [city]: 'Bellevue',
    [country]: 'US',
    [provider]: 'Global-Scheduler',
    [region]: 'us-west',
    [zone]: 'us-west-1',
  });
  assert.deepEqual(inventoryLabels({ spec: { type: 'kubernetes' } }), { [type]: 'kubernetes' });
});

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compileDecoder } from '@perigee/schema/structural/decode';
import { compileValidator } from '@perigee/schema/validate/validate';
import { objectWith, recorded } from './recorded.ts';

for (const [name, about] of [
  ['rules', 'CEL rules give the errors that a kube-apiserver gives'],
  ['ratcheting', 'what was wrong before an update is let pass as a kube-apiserver lets it pass'],
] as const) {
  const { schema, cases } = recorded(name);
  const decode = compileDecoder(schema);
  const validate = compileValidator(schema);
  describe(about, () => {
    for (const { name: title, spec, old, causes } of cases) {
      it(title, () => {
        const before = old === undefined ? undefined : decode(objectWith(old)).value;
        assert.deepEqual(validate(decode(objectWith(spec)).value, before), causes);
      });
    }
  });
}

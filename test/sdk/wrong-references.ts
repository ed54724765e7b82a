/** Each is wrong in one place, which the compiler has to find. */
export const WRONG: { readonly [name: string]: readonly [code: string, why: RegExp] } = {
  'after-unknown': [
    "flow('f').load({ dataset: 'a' }).load({ name: 'b', dataset: 'a', after: 'laod' });",
    /laod/,
  ],
  'after-later': [
    "flow('f').load({ dataset: 'a', after: 'next' }).load({ name: 'next', dataset: 'a' });",
    /Predecessor<never>/,
  ],
  'join-unknown': [
    "flow('f').load({ dataset: 'a' }).process(() => 1, { after: ['load', 'lost'] });",
    /lost/,
  ],
  'name-twice': ["flow('f').load({ dataset: 'a' }).load({ dataset: 'a' });", /a step load already/],
  'name-given-twice': [
    "flow('f').load({ name: 'x', dataset: 'a' }).migrate({ name: 'x', from: 'a', to: 'b' });",
    /there is a step x already/,
  ],
  'dataset-undeclared': [
    "flow('f', { datasets: { raw: 'exists' } }).load({ dataset: 'rwa' });",
    /rwa/,
  ],
  'place-undeclared': [
    "flow('f', { datasets: { raw: 'exists' } }).migrate({ from: 'rwa', to: 'raw' });",
    /rwa/,
  ],
  'product-undeclared': [
    "flow('f', { datasets: { raw: 'exists' } }).process(() => 1, { dataset: 'raw', produces: ['made'] }).load({ dataset: 'maid' });",
    /maid/,
  ],
  'field-unknown': ["flow('f').load({ dataset: 'a', bakcoffLimit: 1 });", /bakcoffLimit/],
  'wrong-kind': [
    "flow('f').load({ dataset: 'a', after: { kind: 'Dataload', name: 'x' } });",
    /Dataload/,
  ],
  'logs-unknown': [
    "void flow('f').load({ dataset: 'a' }).run().then((run) => run.logs('laod'));",
    /laod/,
  ],
  'context-unknown': ["flow('f').process(({ dta }) => dta, { dataset: 'a' });", /dta/],
};

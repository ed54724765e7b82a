import type { JsonObject } from '@perigee/schema/json';
import { age, text, textColumn } from './column.ts';
import { at, firstFew, listAt, textAt } from './fields.ts';
import { selectorText } from './selector-text.ts';
import { loadBalancerAddresses } from './services.ts';

const MOST_HOSTS = 3;

const hosts = (ingress: JsonObject): string => {
  const rules = listAt(ingress, 'spec', 'rules');
  const hostNames = rules.map((rule) => textAt(rule, 'host')).filter((host) => host !== '');
  return firstFew(hostNames, MOST_HOSTS, rules.length) || '*';
};

export const ingressColumns = [
  textColumn('Class', 'The class that says who serves it.', ['spec', 'ingressClassName'], '<none>'),
  text('Hosts', 'The hosts that it answers for.', hosts),
  text('Address', 'Where it can be reached.', (ingress) =>
    loadBalancerAddresses(ingress).join(','),
  ),
  text('Ports', 'The ports on which it listens.', (ingress) =>
    listAt(ingress, 'spec', 'tls').length > 0 ? '80, 443' : '80',
  ),
  age,
];

const parameters = (ingressClass: JsonObject): string => {
  const reference = at(ingressClass, 'spec', 'parameters');
  if (reference === undefined || reference === null) return '<none>';
  const group = textAt(reference, 'apiGroup');
  const kind = group === '' ? textAt(reference, 'kind') : `${textAt(reference, 'kind')}.${group}`;
  return `${kind}/${textAt(reference, 'name')}`;
};

export const ingressClassColumns = [
  textColumn('Controller', 'Who serves ingresses of this class.', ['spec', 'controller']),
  text('Parameters', 'Where that controller finds more to know.', parameters),
  age,
];

export const networkPolicyColumns = [
  text('Pod-Selector', 'The pods that it is about.', (object) =>
    selectorText(at(object, 'spec', 'podSelector')),
  ),
  age,
];

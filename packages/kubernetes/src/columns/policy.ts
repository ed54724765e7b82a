import { isJsonObject, type JsonObject } from '@perigee/schema/json';
import { age, flag, integer, text, textColumn } from './column.ts';
import { at, countAt, textAt } from './fields.ts';
import { quantityText } from './quantity-cell.ts';

const quotaText = (quota: JsonObject, isLimit: boolean): string => {
  const hard = at(quota, 'status', 'hard');
  const names = isJsonObject(hard) ? Object.keys(hard).sort() : [];
  return names
    .filter((name) => name.startsWith('limits.') === isLimit)
    .map((name) => {
      const [used, most] = [at(quota, 'status', 'used', name), at(hard, name)];
      return `${name}: ${quantityText(used)}/${quantityText(most)}`;
    })
    .join(', ');
};

export const resourceQuotaColumns = [
  text('Request', 'What is requested of what may be.', (quota) => quotaText(quota, false)),
  text('Limit', 'The limits set, of how high they may be.', (quota) => quotaText(quota, true)),
  age,
];

export const priorityClassColumns = [
  integer('Value', 'How high the priority is.', (object) => countAt(object, 'value')),
  flag(
    'Global-Default',
    'Whether pods get it that name none.',
    (object) => object.globalDefault === true,
  ),
  age,
  textColumn('PreemptionPolicy', 'Whether it may displace others.', ['preemptionPolicy']),
];

export const podDisruptionBudgetColumns = [
  text(
    'Min Available',
    'The pods that must stay.',
    (object) => textAt(object, 'spec', 'minAvailable') || 'N/A',
  ),
  text(
    'Max Unavailable',
    'The pods that may go.',
    (object) => textAt(object, 'spec', 'maxUnavailable') || 'N/A',
  ),
  integer('Allowed Disruptions', 'How many pods may go right now.', (object) =>
    countAt(object, 'status', 'disruptionsAllowed'),
  ),
  age,
];

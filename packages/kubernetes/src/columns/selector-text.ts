import {
  formatLabelSelector,
  type LabelSelectorSpec,
  labelSelectorOf,
} from '@perigee/api/values/label-selector';
import { ParseError } from '@perigee/schema/errors';
import { isJsonObject, type JsonValue } from '@perigee/schema/json';

/** Labels as tables show them: sorted, `a=1,b=2`. */
export const labelsText = (labels: JsonValue | undefined): string => {
  const entries = isJsonObject(labels) ? Object.entries(labels) : [];
  const texts = entries.map(([key, value]) => `${key}=${value}`).toSorted();
  return texts.length === 0 ? '<none>' : texts.join(',');
};

/** A label selector in the notation of the command line. */
export const selectorText = (selector: JsonValue | undefined): string => {
  if (!isJsonObject(selector)) return '<none>';
  try {
    return formatLabelSelector(labelSelectorOf(selector as LabelSelectorSpec)) || '<none>';
  } catch (error) {
    if (error instanceof ParseError) return '<error>';
    throw error;
  }
};

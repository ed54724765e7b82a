import { openLocalSource } from '../local/local-source.ts';
import { LocalTarget } from '../local/local-target.ts';
import type { Place } from '../order.ts';
import type { Source } from './source.ts';
import type { Target } from './target.ts';

export const openSource = (place: Place): Source => openLocalSource(place);

export const openTarget = (place: Place): Target => new LocalTarget(place);

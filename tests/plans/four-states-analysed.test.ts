import { describe } from 'vitest';
import { describeFourStates } from './four-states.ts';

describe('tables that were analysed while they held five rows', () => describeFourStates({ analysed: true }));

import { describe } from 'vitest';
import { describeFourStates } from './four-states.ts';

describe('tables that nobody ever analysed', () => describeFourStates({ analysed: false }));

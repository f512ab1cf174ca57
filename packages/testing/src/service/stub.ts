import { createStub as create } from '@comanda/api/stub';
import type { CreateStub } from '../stub.ts';

/** The service without a database, which a fake client asks; built apart, since it is loaded when it is first asked. */
export const createStub: CreateStub = create;

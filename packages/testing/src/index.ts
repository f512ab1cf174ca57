export {
  type FakeAnswers,
  type FakeCall,
  type FakeClient,
  fakeClient,
  type Procedure,
  type ProcedureInput,
  type ProcedureOutput,
  type Refusal,
  refusal,
} from './fake.ts';
export type { TestLocation } from './location.ts';
export type { Age, DemoProduct, LocationOptions, PaymentMethodIds } from './messages.ts';
export type { ReceivedEvents, ReceiveOptions, RefusedDelivery } from './received.ts';
export { type SignedDelivery, signTestEvent, type TestEvent } from './sign.ts';
export { type StartOptions, startComanda, type TestComanda } from './start.ts';

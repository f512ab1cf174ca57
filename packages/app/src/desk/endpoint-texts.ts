import type { Texts } from '../frame/language.tsx';

const en = {
  all: 'all',
  show: 'Show',
  attempts: 'Attempts, newest first',
  reason: 'Result',
  answer: 'Its answer',
  allEndpoints: 'All webhooks',
};

const es: typeof en = {
  all: 'todos',
  show: 'Mostrar',
  attempts: 'Intentos, el más nuevo primero',
  reason: 'Qué resultó',
  answer: 'Su respuesta',
  allEndpoints: 'Todos los webhooks',
};

/** The texts of an endpoint. */
export const endpointTexts: Texts<typeof en> = { en, es };

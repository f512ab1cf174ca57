import type { Texts } from '../frame/language.tsx';

const en = {
  notSent: 'Not sent',
  no_endpoint: (types: string) => `There is no webhook, so nothing was sent of ${types}.`,
  nobody_subscribed: (types: string) => `No endpoint was subscribed to ${types}.`,
  not_subscribed: (types: string, url: string) => `${url} was not subscribed to ${types}.`,
  paused: (types: string, url: string) => `${url} is paused, so it did not get ${types}.`,
  no_delivery: (types: string, url: string) =>
    `${url} did not get ${types}: it was subscribed or enabled only afterwards.`,
  unknown: 'Nothing was sent of this order.',
  droppedByPause: 'It waited when the webhook was paused, and is not sent any more.',
  droppedByResend: 'It was sent again before its next attempt, so this one ended.',
  resent: (type: string, url: string, by: string) => `${type} → ${url}: sent again${by}`,
};

const es: typeof en = {
  notSent: 'No enviado',
  no_endpoint: (types) => `No hay webhooks, así que no se envió nada de ${types}.`,
  nobody_subscribed: (types) => `Ninguna dirección estaba suscrita a ${types}.`,
  not_subscribed: (types, url) => `${url} no estaba suscrita a ${types}.`,
  paused: (types, url) => `${url} está en pausa, así que no recibió ${types}.`,
  no_delivery: (types, url) => `${url} no recibió ${types}: se suscribió o se activó después.`,
  unknown: 'No se envió nada de este pedido.',
  droppedByPause: 'Esperaba cuando se pausó el webhook, y ya no se envía.',
  droppedByResend: 'Se envió otra vez antes de su próximo intento, así que este terminó.',
  resent: (type, url, by) => `${type} → ${url}: enviado otra vez${by}`,
};

/** The texts of deliveries of an order. */
export const deliveryTexts: Texts<typeof en> = { en, es };

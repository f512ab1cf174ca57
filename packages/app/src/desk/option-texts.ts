import type { Texts } from '../frame/language.tsx';

const en = {
  options: 'Options',
  noGroups: 'No options',
  noGroupsMeans: 'A group is a choice of the guest: a size, extras. Make one, then add its options.',
  never: 'cannot be ordered',
  notNow: 'not just now',
  bounds: (least: number, most: number, isSingle: boolean) =>
    `Choose ${least === most ? least : `${least} to ${most}`}${isSingle ? ', of one option' : ''}`,
  hidden: 'hidden',
  soldOut: 'sold out',
  left: (quantity: string) => `${quantity} left`,
  addOption: 'Add an option',
  addTo: (group: string) => `Add an option to ${group}`,
  add: 'Add it',
  editGroup: 'Edit the group',
  editOf: (name: string) => `Edit ${name}`,
  newGroup: 'New group of options',
  make: 'Make the group',
  leastLater: 'Nothing has to be chosen at first: edit the group once it has options.',
  price: 'Adds to the price',
  least: 'At least, once it is chosen',
  most: 'At most',
  leastOf: 'Choose at least',
  mostOf: 'Choose at most',
  isSingle: 'Only one of the options may be chosen',
  isVisible: 'Shown to guests',
  remove: 'Remove',
  removeGroup: 'Remove the group',
  sureToRemove: (name: string) => `Remove the group ${name}?`,
  removeMeans: 'Its options go with it. Orders that are there keep theirs.',
};

const es: typeof en = {
  options: 'Opciones',
  noGroups: 'Sin opciones',
  noGroupsMeans:
    'Un grupo es una elección del cliente: un tamaño, agregados. Cree uno y después agregue sus opciones.',
  never: 'no se puede pedir',
  notNow: 'ahora no',
  bounds: (least, most, isSingle) =>
    `Se eligen ${least === most ? least : `de ${least} a ${most}`}${isSingle ? ', de una opción' : ''}`,
  hidden: 'oculta',
  soldOut: 'agotada',
  left: (quantity) => `quedan ${quantity}`,
  addOption: 'Agregar una opción',
  addTo: (group) => `Agregar una opción a ${group}`,
  add: 'Agregarla',
  editGroup: 'Editar el grupo',
  editOf: (name) => `Editar ${name}`,
  newGroup: 'Nuevo grupo de opciones',
  make: 'Crear el grupo',
  leastLater: 'Al principio no hay que elegir nada: edite el grupo cuando tenga opciones.',
  price: 'Suma al precio',
  least: 'Como mínimo, una vez elegida',
  most: 'Como máximo',
  leastOf: 'Elegir como mínimo',
  mostOf: 'Elegir como máximo',
  isSingle: 'Se puede elegir una sola de las opciones',
  isVisible: 'Visible para los clientes',
  remove: 'Quitar',
  removeGroup: 'Quitar el grupo',
  sureToRemove: (name) => `¿Quitar el grupo ${name}?`,
  removeMeans: 'Sus opciones se van con él. Los pedidos que ya existen conservan las suyas.',
};

/** The texts of the options of a product. */
export const optionTexts: Texts<typeof en> = { en, es };

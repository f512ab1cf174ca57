import { expect } from 'vitest';
import { says } from '../screens/actions.ts';
import { useOrderKitchen } from '../support/orders.ts';
import type { AppPage } from './app-page.ts';
import { useDesk } from './desk-page.ts';
import { journey } from './journey.ts';

// The forms of the desk on a phone, by the keyboard alone: Tab, typing, arrows, Space and Enter.

const { api, desk } = useDesk();
const kitchen = useOrderKitchen(api);

/** The labels of the forms, as a person reads them. */
const labels = {
  en: {
    price: 'Price',
    isVisible: 'Shown on the menu',
    save: 'Save',
    quantity: 'Left',
    newGroup: 'New group of options',
    groupName: 'Name of the group',
    addOption: 'Add an option',
    itemName: 'Name of the option',
    name: 'Name',
    use: 'For',
    choice: 'Permissions of your choice',
    readMenu: 'Reads the menu',
    makeKey: 'Make a key',
    newKey: 'The new key',
    newWebhook: 'New webhook',
    url: 'Address (https)',
    orderClosed: 'an order was closed (order.completed)',
    makeWebhook: 'Make the webhook',
    newSecret: 'The new signing secret',
    test: 'Send a test event',
    pause: 'Pause',
    enable: 'Enable',
    delete: 'Delete',
    away: 'Put away',
    cancel: 'Cancel the order',
    changePrices: 'Change all prices',
    how: 'By',
    by: 'How much (less with −)',
    difference: 'Prices before and after',
    write: 'Write these prices',
    written: '1 price was changed.',
    close: 'Close the turn',
    noTurn: 'No turn is open.',
    startingCash: 'Cash in the drawer at the start',
    counted: 'Cash in the drawer now',
    openNext: 'Open the next turn at the same moment',
    exact: 'The count is exact.',
    cancelMeans: 'Its stock is given back and its payment rejected. This cannot be undone here.',
  },
  es: {
    price: 'Precio',
    isVisible: 'Visible en el menú',
    save: 'Guardar',
    quantity: 'Quedan',
    newGroup: 'Nuevo grupo de opciones',
    groupName: 'Nombre del grupo',
    addOption: 'Agregar una opción',
    itemName: 'Nombre de la opción',
    name: 'Nombre',
    use: 'Para',
    choice: 'Los permisos que usted elija',
    readMenu: 'Lee el menú',
    makeKey: 'Crear una clave',
    newKey: 'La nueva clave',
    newWebhook: 'Nuevo webhook',
    url: 'Dirección (https)',
    orderClosed: 'se cerró un pedido (order.completed)',
    makeWebhook: 'Crear el webhook',
    newSecret: 'El nuevo secreto de firma',
    test: 'Enviar un evento de prueba',
    pause: 'Pausar',
    enable: 'Activar',
    delete: 'Eliminar',
    away: 'Quitar',
    cancel: 'Cancelar el pedido',
    how: 'En',
    changePrices: 'Cambiar todos los precios',
    by: 'Cuánto (menos con −)',
    difference: 'Precios antes y después',
    write: 'Escribir estos precios',
    written: 'Se cambió 1 precio.',
    close: 'Cerrar el turno',
    noTurn: 'No hay un turno abierto.',
    startingCash: 'Efectivo en la caja al comenzar',
    counted: 'Efectivo en la caja ahora',
    openNext: 'Abrir el próximo turno en el mismo momento',
    exact: 'La cuenta es exacta.',
    cancelMeans: 'Se devuelve su stock y se rechaza su pago. Aquí no se puede deshacer.',
  },
} as const;

/** The name of the focused element: of a button or link its text, of a field its label. */
const focused = `(() => {
  const each = document.activeElement;
  const own = (label) => [...label.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ data }) => data).join('').trim();
  return (each.labels?.[0] && own(each.labels[0])) || (each.getAttribute('aria-label') ?? each.textContent).trim();
})()`;

/** Whether the focused element has an outline, is on the screen, and lies under nothing else. A list that is taller than the screen is on it in part. */
const isSeen = `(() => {
  const each = document.activeElement;
  const { left, top, width, height } = each.getBoundingClientRect();
  const looked = height > innerHeight ? Math.min(Math.max(top + 20, innerHeight / 2), top + height - 20) : top + Math.min(height / 2, 20);
  const at = document.elementFromPoint(left + Math.min(width / 2, 100), looked);
  const isUncovered = at !== null && (each.contains(at) || at.contains(each));
  return { isUncovered, isOutlined: each.matches(':focus-visible') && getComputedStyle(each).outlineStyle !== 'none' };
})()`;

/** Presses Tab until the element of that name has the focus, and a key there. Each one on the way must be seen. */
async function tabTo(page: AppPage, name: string, key?: string): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 120; presses++) {
    await page.keyboard.press('Tab');
    // Behind the last one the keyboard leaves the page, and comes back at its top.
    if (await page.evaluate('document.activeElement === document.body')) continue;
    const now = await page.evaluate<string>(focused);
    const seen = await page.evaluate(isSeen);
    expect({ now, seen }).toEqual({ now, seen: { isUncovered: true, isOutlined: true } });
    if (now === name || now.startsWith(`${name} `)) {
      if (key !== undefined) await page.keyboard.press(key);
      return;
    }
    passed.push(now.slice(0, 40));
  }
  throw new Error(`Tab does not reach "${name}": ${passed.join(' | ')}`);
}

/** Types in place of what the focused field holds. */
async function typeOver(page: AppPage, text: string): Promise<void> {
  await page.keyboard.down('Control');
  await page.keyboard.press('a');
  await page.keyboard.up('Control');
  await page.keyboard.type(text);
}

async function fillIn(language: keyof typeof labels): Promise<void> {
  const texts = labels[language];

  /** A page of the desk, once it has the text. */
  async function opened(path: string, text: string): Promise<AppPage> {
    const page = await desk(path, { size: 'phone', language });
    await says(page, text);
    return page;
  }

  async function ends(page: AppPage): Promise<void> {
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
    expect(page.complaints).toEqual([]);
  }

  async function editProduct() {
    const categoryId = await api.make.category({ name: `Cakes ${language}` });
    const id = await api.make.product({ name: `Carrot cake ${language}`, price: 95 });
    const now = () => api.client().products.get.query({ id });
    const page = await opened(`products/${id}`, texts.isVisible);
    await tabTo(page, texts.price);
    await typeOver(page, '99,90');
    await tabTo(page, texts.isVisible, 'Space');
    await tabTo(page, `Cakes ${language}`, 'Space');
    await tabTo(page, texts.save, 'Enter');
    await expect.poll(now).toMatchObject({ price: 99.9, visible: false });
    expect((await now()).categories.map((each) => each.id)).toEqual([categoryId]);
    await tabTo(page, texts.quantity);
    await typeOver(page, '12');
    await page.keyboard.press('Enter');
    await expect.poll(async () => (await now()).stock.quantity).toBe(12);
    await ends(page);
  }

  async function addOption() {
    const id = await api.make.product({ name: `Latte ${language}` });
    const groups = async () => (await api.client().subselections.list.query({ product_id: id })).data;
    const page = await opened(`products/${id}`, texts.newGroup);
    await tabTo(page, texts.newGroup, 'Enter');
    await tabTo(page, texts.groupName);
    await page.keyboard.type('Milk');
    await page.keyboard.press('Enter');
    await says(page, texts.addOption);
    await tabTo(page, texts.addOption, 'Enter');
    await tabTo(page, texts.itemName);
    await page.keyboard.type('Oat');
    await page.keyboard.press('Enter');
    await expect.poll(groups).toMatchObject([{ name: 'Milk', items: [{ name: 'Oat' }] }]);
    await ends(page);
  }

  async function makeKey() {
    const page = await opened('keys', texts.makeKey);
    await tabTo(page, texts.name);
    await page.keyboard.type(`Waiter ${language}`);
    await tabTo(page, texts.use);
    const chosen = `document.activeElement.selectedOptions[0].text`;
    for (let presses = 0; presses < 9 && (await page.evaluate(chosen)) !== texts.choice; presses++)
      await page.keyboard.press('ArrowDown');
    expect(await page.evaluate(chosen)).toBe(texts.choice);
    await tabTo(page, texts.readMenu, 'Space');
    await tabTo(page, texts.makeKey, 'Enter');
    await says(page, `${texts.newKey}: Waiter ${language}.`);
    const { data } = await api.client().keys.list.query({ limit: 200 });
    expect(data.find(({ name }) => name === `Waiter ${language}`)).toMatchObject({
      permissions: ['menus:read'],
    });
    await tabTo(page, texts.away, 'Enter');
    await page.until(`document.querySelector('.once') === null`);
    await ends(page);
  }

  async function makeWebhook() {
    const page = await opened('endpoints', texts.newWebhook);
    await tabTo(page, texts.newWebhook, 'Enter');
    await tabTo(page, texts.url);
    const url = `http://127.0.0.1:9/${language}`;
    await page.keyboard.type(url);
    await tabTo(page, texts.orderClosed, 'Space');
    await tabTo(page, texts.makeWebhook, 'Enter');
    await says(page, texts.newSecret);
    const { webhookEndpoints } = api.client();
    const now = async () => (await webhookEndpoints.list.query({})).data.find((each) => each.url === url);
    const events = ['order.created', 'order.status_changed', 'order.completed'];
    expect(await now()).toMatchObject({ status: 'active', events });
    await tabTo(page, texts.away, 'Enter');
    await page.until(`document.querySelector('.once') === null`);
    await tabTo(page, texts.test, 'Enter');
    await page.waitForSelector('[role=status]');
    await answerByKeyboard(texts.pause);
    await says(page, texts.enable);
    expect(await now()).toMatchObject({ status: 'disabled' });
    await answerByKeyboard(texts.delete);
    await page.until(`location.pathname === '/app/desk/endpoints'`);
    expect(await now()).toBeUndefined();
    await ends(page);

    async function answerByKeyboard(deed: string) {
      await tabTo(page, deed, 'Enter');
      await page.waitForSelector('.dialog');
      await page.until(`document.querySelector('.dialog').contains(document.activeElement)`);
      await tabTo(page, deed, 'Enter');
      await page.until(`document.querySelector('.dialog') === null`);
    }
  }

  async function cancelOrder() {
    const { id } = await kitchen.place();
    const page = await opened(`orders/${id}`, texts.cancel);
    await tabTo(page, texts.cancel, 'Enter');
    await page.waitForSelector('.dialog input');
    await page.until(`document.querySelector('.dialog').contains(document.activeElement)`);
    if ((await page.evaluate(focused)) !== texts.cancelMeans) await tabTo(page, texts.cancelMeans);
    await page.keyboard.type('The guest left');
    await tabTo(page, texts.cancel, 'Enter');
    const now = () => api.client().orders.get.query({ id });
    await expect.poll(now).toMatchObject({ status: 'canceled', cancel_reason: 'The guest left' });
    await ends(page);
  }

  async function changePrices() {
    const categoryId = await api.make.category({ name: `Teas ${language}` });
    const id = await api.make.product({
      name: `Green tea ${language}`,
      price: 95,
      categoryIds: [categoryId],
    });
    const page = await opened(`categories/${categoryId}`, texts.changePrices);
    await tabTo(page, texts.how, 'ArrowDown');
    await tabTo(page, texts.by);
    await page.keyboard.type('-5,50');
    await page.keyboard.press('Enter');
    await says(page, texts.difference);
    await tabTo(page, texts.write, 'Enter');
    await says(page, texts.written);
    expect((await api.client().products.get.query({ id })).price).toBe(89.5);
    await ends(page);
  }

  async function closeTurn() {
    await api.client().turns.open.mutate();
    const page = await opened('turns', texts.close);
    await tabTo(page, texts.close, 'Enter');
    await page.waitForSelector('.dialog input');
    await page.until(`document.querySelector('.dialog').contains(document.activeElement)`);
    if ((await page.evaluate(focused)) !== texts.startingCash) await tabTo(page, texts.startingCash);
    await page.keyboard.type('100');
    await tabTo(page, texts.counted);
    await page.keyboard.type('100');
    await tabTo(page, texts.openNext, 'Space');
    await tabTo(page, texts.close, 'Enter');
    await page.until(`document.querySelector('.dialog') === null`);
    await says(page, texts.exact);
    await says(page, texts.noTurn);
    await ends(page);
  }

  await editProduct();
  await addOption();
  await makeKey();
  await makeWebhook();
  await cancelOrder();
  await changePrices();
  await closeTurn();
}

journey('every form is filled in by the keyboard alone', (check) => {
  for (const language of ['en', 'es'] as const) check(`in ${language}`, () => fillIn(language));
});

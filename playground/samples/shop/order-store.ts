/** An order of the sample shop. */
interface Order {
  readonly orderId: string;
  readonly status: 'processing' | 'shipped' | 'delivered' | 'refunded';
  readonly items: readonly { readonly name: string; readonly quantity: number }[];
  readonly total: string;
  readonly carrier?: string;
  /** The reason for the refund. */
  readonly refundReason?: string;
}

/** The shop's orders, in memory. */
export interface OrderStore {
  /** All orders, oldest first. */
  list(): readonly Order[];
  find(orderId: string): Order | undefined;
  /** Refunds an order. Throws if there is none, or it is already refunded. */
  refund(orderId: string, reason: string): Order;
}

const stock: readonly Order[] = [
  {
    orderId: '1041',
    status: 'delivered',
    items: [{ name: 'Wool blanket', quantity: 1 }],
    total: '89.00 EUR',
    carrier: 'Northwind',
  },
  {
    orderId: '1042',
    status: 'shipped',
    items: [
      { name: 'Desk lamp', quantity: 2 },
      { name: 'Bulb', quantity: 4 },
    ],
    total: '74.50 EUR',
    carrier: 'Northwind',
  },
  { orderId: '1043', status: 'processing', items: [{ name: 'Lantern', quantity: 1 }], total: '32.00 EUR' },
];

/** A store with the sample orders; each has its own copy. */
export const createOrderStore = (): OrderStore => {
  const orders = new Map(stock.map((order) => [order.orderId, order]));
  return {
    list: () => [...orders.values()],
    find: (orderId) => orders.get(orderId),
    refund: (orderId, reason) => {
      const order = orders.get(orderId);
      if (!order) throw new Error(`There is no order ${orderId}.`);
      if (order.status === 'refunded') throw new Error(`Order ${orderId} has already been refunded.`);
      const refunded: Order = { ...order, status: 'refunded', refundReason: reason };
      orders.set(orderId, refunded);
      return refunded;
    },
  };
};

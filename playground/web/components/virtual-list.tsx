import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef, type ReactNode } from 'react';

interface VirtualListProps {
  readonly label: string;
  readonly className: string;
  readonly count: number;
  /** The size of an item along the list, in pixels; of `isMeasured` ones an estimate. */
  readonly size: number;
  readonly isMeasured?: boolean;
  readonly isHorizontal?: boolean;
  /** An item that is kept in view. */
  readonly at?: number;
  readonly keyOf?: (index: number) => string | number;
  /** Called near the end. */
  readonly onEnd?: (() => void) | undefined;
  readonly children: (index: number) => ReactNode;
}

/** The distance from the end, in items, at which more are requested. */
const nearEnd = 20;

/** A list of which only the items in view are drawn. It scrolls, also with the keyboard. */
export const VirtualList = (props: VirtualListProps) => {
  const { label, className, count, size, isMeasured = false, isHorizontal = false, at, keyOf, onEnd, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const list = useVirtualizer({
    count,
    getScrollElement: () => box.current,
    estimateSize: () => size,
    ...(keyOf && { getItemKey: keyOf }),
    horizontal: isHorizontal,
    overscan: 10,
  });
  const items = list.getVirtualItems();
  const isNearEnd = (items.at(-1)?.index ?? 0) >= count - nearEnd;
  useEffect(() => {
    if (at !== undefined && at >= 0) list.scrollToIndex(at, { align: 'auto' });
  }, [at, list]);
  useEffect(() => {
    if (isNearEnd) onEnd?.();
  }, [isNearEnd, onEnd]);
  const axis = isHorizontal ? 'X' : 'Y';
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a region that scrolls is reached by the keyboard
    <div ref={box} className={className} role="region" aria-label={label} tabIndex={0}>
      <ol className="virtual" style={{ [isHorizontal ? 'width' : 'height']: list.getTotalSize() }} aria-label={label}>
        {items.map(({ key, index, start }) => (
          <li
            key={key}
            ref={isMeasured ? list.measureElement : undefined}
            data-index={index}
            aria-setsize={count}
            aria-posinset={index + 1}
            style={{
              transform: `translate${axis}(${start}px)`,
              ...(!isMeasured && { [isHorizontal ? 'width' : 'height']: size }),
            }}
          >
            {children(index)}
          </li>
        ))}
      </ol>
    </div>
  );
};

package io.txbox.store;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Turns any text into one that every database holds, such that different texts stay different
 * (invariant EXACT-KEY).
 *
 * <p>A text of up to {@value #MAX_BYTES} bytes of UTF-8 is stored as it is. One that is longer,
 * holds a NUL (which PostgreSQL refuses) or half a surrogate pair (which has no UTF-8 form), is
 * stored as a readable prefix, a marker and its SHA-256. A text that looks like such a form itself
 * is hashed too, so that no text that is stored as it is can equal a hashed one.
 */
public final class StorableText {
  /** The most bytes of UTF-8 that are stored as they are, and that a stored text ever has. */
  public static final int MAX_BYTES = 255;

  private static final int PREFIX_BYTES = 160;
  private static final String MARKER = "~sha256:";
  private static final int HASH_CHARS = 64;

  private StorableText() {}

  /** Returns the form in which a text is stored. */
  public static String of(String text) {
    return fits(text) && !looksHashed(text) ? text : hashed(text);
  }

  private static boolean looksHashed(String text) {
    return text.startsWith(MARKER, text.length() - HASH_CHARS - MARKER.length());
  }

  private static boolean fits(String text) {
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        return false;
      }
      if (Character.isSurrogate(c)) {
        if (!isPairAt(text, i)) {
          return false;
        }
        i++;
        bytes += 4;
      } else {
        bytes += utf8Length(c);
      }
    }
    return bytes <= MAX_BYTES;
  }

  private static String hashed(String text) {
    return readablePrefix(text) + MARKER + HexFormat.of().formatHex(sha256(text));
  }

  private static String readablePrefix(String text) {
    StringBuilder prefix = new StringBuilder();
    int bytes = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean pair = isPairAt(text, i);
      bytes += pair ? 4 : utf8Length(c);
      if (bytes > PREFIX_BYTES) {
        break;
      }
      if (pair) {
        prefix.append(c).append(text.charAt(++i));
      } else {
        prefix.append(Character.isISOControl(c) || Character.isSurrogate(c) ? '?' : c);
      }
    }
    return prefix.toString();
  }

  private static boolean isPairAt(String text, int i) {
    return i + 1 < text.length() && Character.isSurrogatePair(text.charAt(i), text.charAt(i + 1));
  }

  private static int utf8Length(char c) {
    return c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
  }

  /** Hashes the UTF-16 form: unlike UTF-8, it tells all texts apart, ill-formed ones too. */
  private static byte[] sha256(String text) {
    ByteBuffer utf16 = ByteBuffer.allocate(text.length() * Character.BYTES);
    utf16.asCharBuffer().put(text);
    try {
      return MessageDigest.getInstance("SHA-256").digest(utf16.array());
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("Every Java platform has SHA-256", e);
    }
  }
}

/** txbox in an application with Spring Boot. */
@NullMarked
package io.txbox.samples.spring;

import org.jspecify.annotations.NullMarked;
